import Signals
import Testing

@MainActor final class Panel {
  private(set) var text = ""

  func show(_ temperatures: Signal<Double>) -> Subscription {
    temperatures.observeOnMain { [weak self] in self?.text = "\($0)°" }
  }
}

final class Thermostat: Sendable {
  private let subscriptions = CompoundDisposable()
  private let latest = Subject<Double>(replay: 1)

  init(_ temperatures: Signal<Double>) {
    subscriptions.add(temperatures.subscribe { [weak self] in self?.latest.send($0) })
  }

  deinit { subscriptions.dispose() }
}

extension Signal {
  func pairwise() -> Signal<(Value, Value)> {
    transform(nil) { (last: inout Value?, value, observer) in
      if let last { observer.send((last, value)) }
      last = value
    }
  }
}

@Suite(.timeLimit(.minutes(2))) struct GrammarExamples {
  private let printed = Printed()

  @Test func `every example of the article is in this file`() throws {
    let article = try Article("Grammar")
    #expect(!article.swiftBlocks.isEmpty)
    #expect(try article.blocksMissing(in: "GrammarExamples.swift") == [])
  }

  @Test func `nothing comes after a terminal`() throws {
    let print = printed.print
    let numbers = Signal<Int> { observer in
      observer.send(1)
      observer.send(progress: 0.5)
      observer.send(2)
      observer.complete()
      observer.send(3)  // Nothing comes after a terminal.
      return nil
    }
    numbers.subscribe {
      print($0)
    } progress: {
      print($0)
    } completed: {
      print("done")
    }
    #expect(try Article("Grammar").printedBlock() == printed.text)
  }

  @Test func `one order for all`() {
    let print = printed.print
    let subject = Subject<Int>()
    subject.signal.subscribe { if $0 == 1 { subject.send(2) } }
    subject.signal.subscribe { print($0) }
    subject.send(1)  // prints 1, then 2
    #expect(printed.text == "1\n2")
  }

  @Test func `late subscribers and disposal`() async {
    let print = printed.print
    let temperature = Subject<Double>(replay: 1)
    temperature.send(20.5)
    temperature.send(21)
    temperature.signal.subscribe { print($0) }  // prints 21.0 at once
    #expect(printed.text == "21.0")
    let subscription = temperature.signal.subscribe { print($0) }
    subscription.dispose()
    await subscription.drained()
    temperature.send(22)
    #expect(printed.text == "21.0\n21.0\n22.0")
  }

  @Test func `a panel on the main actor`() async {
    let temperatures = Subject<Double>()
    let panel = Panel()
    let subscription = await panel.show(temperatures.signal)
    temperatures.send(21)
    while await panel.text.isEmpty { await Task.yield() }
    #expect(await panel.text == "21.0°")
    subscription.dispose()
  }

  @Test func `an object that subscribes for as long as it lives`() {
    let temperatures = Subject<Double>(replay: 1)
    weak var gone: Thermostat?
    do {
      let thermostat = Thermostat(temperatures.signal)
      temperatures.send(21)
      gone = thermostat
    }
    #expect(gone == nil)
  }

  @Test func `an operator of one's own`() {
    let printed = printed
    Signal.from(1...4).pairwise().subscribe { printed.print($0 + $1) }
    #expect(printed.text == "3\n5\n7")
  }
}
