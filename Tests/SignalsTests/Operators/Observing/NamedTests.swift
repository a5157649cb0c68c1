import Signals
import SignalsTesting
import Testing

@Suite struct NamedTests {
  @Test func `a name is for the signal that was given it`() {
    let signal = Signal.just(1)
    #expect(signal.name == nil)
    #expect(signal.description == "Signal<Int>")
    let named = signal.named("kitchen").named("cellar \"3\"")
    #expect(named.name == "cellar \"3\"")
    #expect(named.description == #"Signal<Int>("cellar \"3\"")"#)
    #expect(named.map { $0 }.name == nil)
    #expect(Signal<Int> { _ in nil }.name == nil)
    #expect(Recorder(named).log == ["next(1)", "completed"])
  }
}
