import Signals
import SignalsTesting
import Testing

private struct Receipt: Sendable, Equatable {}

/// A callback API as one finds them.
private struct Client: Sendable {
  struct Transfer: Sendable { func cancel() {} }

  func send(
    _ file: String, progress: @Sendable (_ sent: Double, _ total: Double) -> Void,
    done: @Sendable (Receipt) -> Void
  ) -> Transfer {
    progress(5, 10)
    done(Receipt())
    return Transfer()
  }
}

@Suite struct OverviewExamples {
  @Test func `every example of the landing page is in this file`() throws {
    let article = try Article("Signals")
    #expect(!article.swiftBlocks.isEmpty)
    #expect(try article.blocksMissing(in: "OverviewExamples.swift") == [])
  }

  @Test func `a callback API as a signal`() {
    let (client, file) = (Client(), "file")
    let upload = Signal<Receipt> { observer in
      let transfer = client.send(file) { sent, total in
        observer.send(progress: ProgressUpdate(done: sent, total: total, unit: "B"))
      } done: { receipt in
        observer.send(receipt)
        observer.complete()
      }
      return ActionDisposable { transfer.cancel() }
    }
    #expect(Recorder(upload).log == ["progress(50% 5/10 B)", "next(Receipt())", "completed"])
  }
}
