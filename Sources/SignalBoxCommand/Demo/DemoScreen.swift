import Foundation
import Signals

/// What the demo shows: lines, and on a terminal one bar below them that is drawn over.
final class DemoScreen: Sendable {
  /// Once nobody looks any more, an end comes here.
  let isGone: AsyncStream<Void>

  private let isTerminal: Bool
  private let usesColour: Bool
  private let bar = Lock("")
  private let leaving: AsyncStream<Void>.Continuation

  init() {
    let environment = ProcessInfo.processInfo.environment
    isTerminal = Output.isTerminal && environment["TERM"] != "dumb"
    usesColour = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty
    (isGone, leaving) = AsyncStream.makeStream()
  }

  func heading(_ text: String) { say(usesColour ? "\n\u{1b}[1m\(text)\u{1b}[0m" : "\n\(text)") }

  func say(_ text: String) {
    bar.withLock { bar in
      write(isTerminal && !bar.isEmpty ? "\r\u{1b}[K\(text)\n\(bar)" : "\(text)\n")
    }
  }

  /// A line of the monitor or of a signal, behind what it is; a very long one is cut.
  func tagged(_ tag: String, _ text: String) {
    let width = isTerminal ? 150 : 400
    let printable = Output.printable(text)
    let text = printable.count > width ? "\(printable.prefix(width))…" : printable
    let padded = tag.padding(toLength: 9, withPad: " ", startingAt: 0)
    say(usesColour ? "\u{1b}[\(Self.colour(tag))m\(padded)\u{1b}[0m \(text)" : "\(padded) \(text)")
  }

  /// Draws the bar; off a terminal it is a line, whenever another tenth is done.
  func draw(_ update: ProgressUpdate) {
    let percent = update.shownPercent(isDone: update.isFinal) ?? 0
    let numbers = " \(percent)% \(Int(update.done ?? 0))/\(Int(update.total ?? 0)) \(update.unit ?? "")"
    // A bar that is wrapped can't be drawn over.
    let width = max(0, min(30, (isTerminal ? Output.columns : 80) - numbers.count - 3))
    let filled = percent * width / 100
    let text =
      "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: width - filled))]\(numbers)"
    guard isTerminal else {
      let tenth = "\(percent / 10)"
      let isNew = bar.withLock { bar in
        defer { bar = tenth }
        return bar != tenth
      }
      if isNew { tagged("bar", text) }
      return
    }
    bar.withLock { bar in
      bar = text
      write("\r\u{1b}[K\(text)")
    }
  }

  /// The bar stays where it is, as a line.
  func finishBar() {
    bar.withLock { bar in
      if isTerminal, !bar.isEmpty { write("\n") }
      bar = ""
    }
  }

  private func write(_ text: String) {
    if (try? Output.write(text)) != true { leaving.finish() }
  }

  private static func colour(_ tag: String) -> Int {
    switch tag {
    case "value": 32
    case "progress": 36
    case "state": 33
    case "broker": 35
    default: 34
    }
  }
}
