import Signals
import Testing

@Suite(.timeLimit(.minutes(2))) struct AsyncDisposableTests {
  @Test func `its stop runs once, and all who ask are told when it is over`() async {
    let release = AsyncGate()
    let stops = Lock(0)
    let disposable = AsyncDisposable {
      stops.withLock { $0 += 1 }
      await release.wait()
    }
    #expect(!disposable.isStopping)
    let told = (0..<3).map { _ in AsyncGate() }
    let early = Lock(0)
    disposable.dispose()
    for gate in told {
      disposable.dispose(whenStopped: {
        early.withLock { $0 += 1 }
        gate.open()
      })
    }
    #expect(disposable.isStopping)
    #expect(early.withLock { $0 } == 0)
    release.open()
    for gate in told { await gate.wait() }
    #expect(!disposable.isStopping)
    #expect(stops.withLock { $0 } == 1)
    disposable.dispose(whenStopped: { early.withLock { $0 += 1 } })
    #expect(early.withLock { $0 } == 4)
  }

  @Test func `a compound waits for all of its members`() async {
    let gates = [AsyncGate(), AsyncGate()]
    let compound = CompoundDisposable(
      gates.map { gate in AsyncDisposable { await gate.wait() } } + [ActionDisposable {}])
    let stopped = AsyncGate()
    let isStopped = Lock(false)
    compound.dispose(whenStopped: {
      isStopped.withLock { $0 = true }
      stopped.open()
    })
    gates[1].open()
    for _ in 0..<50 { await Task.yield() }
    #expect(compound.isStopping)
    #expect(!isStopped.withLock { $0 })
    gates[0].open()
    await stopped.wait()
    #expect(!compound.isStopping)
  }
}
