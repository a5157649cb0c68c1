import Signals
import SignalsTesting
import Testing

@Suite struct SharingTableTests {
  /// How the run before ended.
  private enum Ending: CaseIterable { case lastLeft, failed, completed }

  @Test func `the article's table says what the next observer gets, in every combination`() throws {
    let table = table()
    let written = try Article("Sharing").section("sharing table")
    #expect(written == table, "the right table is:\n\(table)")
  }

  private func table() -> String {
    var lines = [
      "| `replay` | `onFailure` | `onCompletion` | `stale` | after the last left | after a failure | after a completion |",
      "|---|---|---|---|---|---|---|",
    ]
    for replay in [0, 1] {
      for onFailure in ShareEndPolicy.allCases {
        for onCompletion in ShareEndPolicy.allCases {
          for (name, stale) in [("drop", StalePolicy.drop), ("keep", .keep)] {
            let cells = Ending.allCases.map { ending in
              outcome(ending) {
                $0.shared(replay: replay, onFailure: onFailure, onCompletion: onCompletion, stale: stale)
              }
            }
            let head = ["\(replay)", "`.\(onFailure)`", "`.\(onCompletion)`", "`.\(name)`"]
            lines.append("| " + (head + cells).joined(separator: " | ") + " |")
          }
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// What one who subscribes after a run with a value and a progress gets at once.
  private func outcome(_ ending: Ending, _ share: (Signal<Int>) -> Signal<Int>) -> String {
    let emitter = Lock<Observer<Int>?>(nil)
    let starts = Lock(0)
    let shared = share(
      Signal { observer in
        starts.withLock { $0 += 1 }
        emitter.withLock { $0 = observer }
        return nil
      })
    let first = shared.subscribe()
    let source = emitter.withLock { $0 }
    source?.send(7)
    source?.send(progress: 0.5)
    switch ending {
    case .lastLeft: first.dispose()
    case .failed: source?.fail(Broken())
    case .completed: source?.complete()
    }
    let next = Recorder(shared)
    var parts = next.events.map { event in
      switch event {
      case .next(let value): "\(value)"
      case .progress(let update): "\(update)"
      case .failed: "the failure"
      case .completed: "the completion"
      }
    }
    if starts.withLock({ $0 }) > 1 { parts.append("a fresh run") }
    return parts.joined(separator: ", ")
  }
}
