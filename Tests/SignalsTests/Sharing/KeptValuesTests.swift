import SignalsTesting
import Testing

@testable import Signals

@Suite(.timeLimit(.minutes(2))) struct KeptValuesTests {
  @Test func `what a stopped run sends late does not displace a newer run's values`() {
    let kept = KeptValues<Int>(1, maxAge: .seconds(1), VirtualScheduler())
    let (old, new) = (RunReplay(kept, 1), RunReplay(kept, 2))
    old.remember(1)
    #expect(new.values == [1])
    old.remember(2)
    #expect(new.values == [2])
    new.remember(3)
    old.remember(99)
    #expect(new.values == [3])
    #expect(old.values == [])
    #expect(RunReplay(kept, 3).values == [3])
  }

  @Test func `the first value of a newer run takes the place of all older ones`() {
    let kept = KeptValues<Int>(3, maxAge: .seconds(1), VirtualScheduler())
    let (old, new) = (RunReplay(kept, 1), RunReplay(kept, 2))
    for value in 1...4 { old.remember(value) }
    #expect(new.values == [2, 3, 4])
    new.remember(5)
    #expect(new.values == [5])
  }

  @Test func `a displaced value is not released under the lock`() {
    final class Token: Sendable {
      let atEnd: @Sendable () -> Void
      init(atEnd: @escaping @Sendable () -> Void) { self.atEnd = atEnd }
      deinit { atEnd() }
    }
    let kept = KeptValues<Token>(1, maxAge: .seconds(1), VirtualScheduler())
    let (old, new) = (RunReplay(kept, 1), RunReplay(kept, 2))
    let released = Lock(0)
    // Asks for the lock: would deadlock if it were held.
    let note: @Sendable () -> Void = {
      _ = old.values
      released.withLock { $0 += 1 }
    }
    old.remember(Token(atEnd: note))
    old.remember(Token(atEnd: note))
    #expect(released.withLock { $0 } == 1)
    new.remember(Token {})
    #expect(released.withLock { $0 } == 2)
  }
}

extension RunReplay {
  fileprivate var values: ContiguousArray<Value> { values(for: Subject()) }
}
