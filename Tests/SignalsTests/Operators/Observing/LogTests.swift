import Signals
import SignalsTesting
import Testing

@Suite struct LogTests {
  private func lines(_ apply: (@escaping @Sendable (String) -> Void) -> Void) -> [String] {
    let lines = Subject<String>(replay: 100)
    apply { lines.send($0) }
    return Recorder(lines.signal).values
  }

  @Test func `one line an event, with the beginning and the disposal`() {
    let log = lines { sink in
      let subject = Subject<Int>()
      let recorder = Recorder(subject.signal.log("kitchen", to: sink))
      subject.send(1)
      subject.send(progress: 0.5)
      recorder.subscription.dispose()
      _ = Recorder(Signal<Int>.failed(Broken()).log("cellar", to: sink))
    }
    #expect(
      log == [
        "kitchen: subscribed", "kitchen: next(1)", "kitchen: progress(50%)", "kitchen: disposed",
        "cellar: subscribed", "cellar: failed(Broken())",
      ])
  }

  @Test func `the label is what was said, else the name, else the type`() {
    let log = lines { sink in
      _ = Recorder(Signal<Int>.empty.named("kitchen").log("cellar", to: sink))
      _ = Recorder(Signal<Int>.empty.named("kitchen").log(to: sink))
      _ = Recorder(Signal<Int>.empty.log { sink($0) })
    }
    #expect(
      log == ["cellar", "kitchen", "Signal<Int>"].flatMap { ["\($0): subscribed", "\($0): completed"] })
  }

  @Test(arguments: [
    ("a\nb", "a\\nb"), ("\u{1B}[2J", "\\u{1B}[2J"), ("\r\0\u{85}\u{2028}", "\\r\\0\\u{0085}\\u{2028}"),
    ("\u{202E}evil", "\\u{202E}evil"), ("Küche 👩‍🍳 \"\\", "Küche 👩‍🍳 \"\\"),
  ])
  func `no value can forge a line, and text stays text`(value: String, shown: String) {
    let log = lines { sink in _ = Recorder(Signal.just(value).log(value, to: sink)) }
    #expect(log.contains("\(shown): next(\(shown))"))
  }
}
