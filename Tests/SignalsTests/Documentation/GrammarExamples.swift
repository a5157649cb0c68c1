import Signals
import Testing

@Suite struct GrammarExamples {
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
}
