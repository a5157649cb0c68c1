import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct ReadmeExamples {
  private let printed = Printed()
  private let readme = Result { try Article(path: "README.md", heading: "Operators, sharing, time") }

  @Test func `every example of the section is in this file`() throws {
    #expect(try readme.get().swiftBlocks.count == 3)
    #expect(try readme.get().blocksMissing(in: "ReadmeExamples.swift") == [])
  }

  @Test func `one run for all`() async throws {
    let print = printed.print
    let receiver = Signal<Int> { observer in
      observer.send(7)
      return nil
    }
    let unit = Signal.just("km")
    // Starts with the first subscriber, stops five seconds after the last, starts again for the next.
    let position = receiver.shared(replay: 1, linger: .seconds(5))

    let display =
      position
      .throttle(.seconds(1))
      .combineLatest(with: unit)
      .map { "\($0) \($1)" }
      .removeDuplicates()
      .subscribe { print($0) }

    let nearest = try await position.first(timeout: .seconds(10))  // one value, then disposed
    display.dispose()
    await display.drained()  // now no handler runs any more
    #expect(printed.text == "7 km")
    #expect(nearest == 7)
  }

  @Test func `progress of uploads`() throws {
    let print = printed.print
    let upload: @Sendable (String) -> Signal<String> = { name in
      Signal { observer in
        observer.send(progress: 1.0)
        observer.send(name)
        observer.complete()
        return nil
      }
    }
    let uploads = Signal.from(["a.jpg", "b.jpg", "c.jpg"])
      .flatMap(.merge(max: 2), expected: 3) { name in
        upload(name).retry(3, backoff: Backoff(initial: .seconds(1)))
      }
      .timeout(.seconds(60))  // silence; progress is a sign of life
      .estimated()  // fills in `rate` and `remaining`

    uploads.subscribe {
      print("have \($0)")
    } progress: {
      print($0)
    } failed: {
      print($0)
    } completed: {
      print("all there")
    }
    let block = try readme.get().printedBlock()
    #expect(block == printed.text)
  }

  @Test func `a test that draws`() {
    let time = VirtualScheduler()
    let source = time.cold("-a-(25)-b|")
    #expect(time.play(source.signal.map { $0.uppercased() }) == "-A-(25)-B|")
    #expect(source.subscriptions == ["^-----!"])
  }
}
