import Signals
import SignalsTesting
import Testing

@Suite struct ProgressExamples {
  @Test func `every example of the article is in this file`() throws {
    let article = try Article("Progress")
    #expect(!article.swiftBlocks.isEmpty)
    #expect(try article.blocksMissing(in: "ProgressExamples.swift") == [])
  }

  @Test func `progress passes operators in its place`() throws {
    let printed = Printed()
    let print = printed.print
    let copied = Signal<Int> { observer in
      for file in 1...4 {
        observer.send(file)
        observer.send(progress: ProgressUpdate(done: Double(file), total: 4, unit: "files"))
      }
      observer.complete()
      return nil
    }
    copied.map { $0 * 10 }.filter { $0 != 20 }.subscribe {
      print($0)
    } progress: {
      print($0)
    }
    #expect(try Article("Progress").printedBlock() == printed.text)
  }

  @Test func `several as one, by weight`() {
    let (first, second) = (Subject<Int>(), Subject<Int>())
    let (small, large) = (first.signal, second.signal)
    let all = Signal.merge([
      small.weighted(by: 1),
      large.weighted(by: 3),
    ])
    let recorder = Recorder(all)
    second.send(progress: 0.5)
    first.send(progress: 1.0)
    #expect(recorder.progress.map(\.fraction) == [0.375, 0.625])
  }
}
