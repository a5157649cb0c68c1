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
    let owner = Owner()
    shared = .shared(linger: core.linger, on: core.scheduler) {
      RetainedCache(core.scheduler)
    } start: { cache, observer in
      // Those who wait for this run keep its upstream, and from here on the run does. When all of them have left just
      // now, somebody else may already listen to the filter by another upstream: then this run must not touch it.
      guard let upstream = owner.upstream else { return nil }
      core.want(filter, upstream.qos, Route(filter, observer, cache))
      return ActionDisposable { withExtendedLifetime(upstream) { core.unwant(filter) } }
    }
    owner.upstream = self
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

/// An upstream that somebody else keeps.
struct WeakUpstream: Sendable {
  weak var upstream: Upstream?
}

/// Tells a shared signal, which has to be there first, whose it is.
private final class Owner: Sendable {
  private let state = Lock(WeakUpstream())

  var upstream: Upstream? {
    get { state.withLock { $0.upstream } }
    set { state.withLock { $0.upstream = newValue } }
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
