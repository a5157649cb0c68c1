@testable import Signals

/// The tasks that wait for the next element of one iterator.
struct Waiting: Sendable {
  fileprivate let count: @Sendable () -> Int

  /// Returns when there are this many.
  func reaches(_ wanted: Int) async {
    while count() < wanted { await Task.yield() }
  }
}

extension SignalValues.Iterator {
  var waiting: Waiting { Waiting { [mailbox = consumer.mailbox] in mailbox.waiterCount } }
}

extension SignalEvents.Iterator {
  var waiting: Waiting { Waiting { [mailbox = consumer.mailbox] in mailbox.waiterCount } }
}

extension AsyncMailbox {
  fileprivate var waiterCount: Int { buffer.withLock { $0.waiters.count } }
}

/// Where tasks of a test share what can't be sent.
@globalActor actor TestActor {
  static let shared = TestActor()
}
