import Signals
import Testing

@Suite(.timeLimit(.minutes(2))) struct ActionDisposableTests {
  @Test func `its action runs once, and who asks meanwhile, also inside it, is told when it has returned`()
    async
  {
    let history = History()
    let itself = Lock<ActionDisposable?>(nil)
    let (entered, release) = (AsyncGate(), BlockingGate())
    let disposable = ActionDisposable {
      itself.withLock { $0 }?.dispose(whenStopped: { history.add("told inside") })
      entered.open()
      release.wait()
      history.add("action")
    }
    itself.withLock { $0 = disposable }
    #expect(!disposable.isDisposed && !disposable.isStopping)
    onThread { disposable.dispose(whenStopped: { history.add("told who began") }) }
    await entered.wait()
    disposable.dispose(whenStopped: { history.add("told meanwhile") })
    #expect(disposable.isDisposed && disposable.isStopping)
    #expect(history.log == [])
    release.open()
    await history.until("told who began")
    #expect(history.log == ["action", "told inside", "told meanwhile", "told who began"])
    #expect(disposable.isDisposed && !disposable.isStopping)
    disposable.dispose(whenStopped: { history.add("told late") })
    #expect(history.log.last == "told late")
    #expect(history.log.count { $0 == "action" } == 1)
    itself.withLock { $0 = nil }
  }
}
