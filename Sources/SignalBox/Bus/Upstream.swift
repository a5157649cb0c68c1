import MQTT
import Signals

/// One filter and all who listen to it: a shared signal whose start wants the filter and whose stop gives it up.
///
/// Lives as long as somebody is attached or its run goes on; the bus only knows it weakly.
final class Upstream: Sendable {
  private let filter: TopicFilter
  private let core: BusCore
  private let shared: Signal<Message>
  /// How many observers asked for QoS 0, 1 and 2.
  private let requests = Lock([0, 0, 0])

  init(_ filter: TopicFilter, _ core: BusCore) {
    self.filter = filter
    self.core = core
    shared = .shared(linger: core.linger, on: core.scheduler) {
      RetainedCache(core.scheduler)
    } start: { cache, observer in
      // The observer that made it start keeps this upstream, and from here on the run does.
      let upstream = core.upstream(filter)
      core.want(filter, upstream.qos, Route(filter, observer, cache))
      return ActionDisposable { withExtendedLifetime(upstream) { core.unwant(filter) } }
    }
  }

  deinit { core.forget(filter) }

  private var qos: QoS {
    QoS(rawValue: requests.withLock { $0.lastIndex { $0 > 0 } } ?? 0) ?? .atMostOnce
  }

  func attach(_ observer: Observer<Message>, _ qos: QoS) -> any Disposable {
    // Counted before it joins, so that the start finds it.
    requests.withLock { $0[qos.rawValue] += 1 }
    let attachment = shared.attach(observer)
    core.raise(filter, self.qos)
    return ActionDisposable { [self] in
      attachment?.dispose()
      requests.withLock { $0[qos.rawValue] -= 1 }
    }
  }
}

/// Where the messages of a filter go.
struct Route: Sendable {
  let filter: TopicFilter
  let observer: Observer<Message>
  let cache: RetainedCache

  init(_ filter: TopicFilter, _ observer: Observer<Message>, _ cache: RetainedCache) {
    self.filter = filter
    self.observer = observer
    self.cache = cache
  }

  func receive(_ message: Message) {
    if let message = cache.admit(message) { observer.send(message) }
  }
}
