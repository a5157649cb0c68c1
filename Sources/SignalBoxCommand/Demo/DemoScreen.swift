import Foundation
import Signals

/// What the demo shows: lines, and on a terminal one bar below them that is drawn over.
final class DemoScreen: Sendable {
  private let isTerminal = Output.isTerminal
  private let usesColour = Output.isTerminal && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  private let bar = Lock("")

  func heading(_ text: String) { line("", usesColour ? "\n\u{1b}[1m\(text)\u{1b}[0m" : "\n\(text)") }

  func say(_ text: String) { line("", text) }

  /// A line of the monitor or of a signal, behind what it is.
  func tagged(_ tag: String, _ text: String) {
    let padded = tag.padding(toLength: 9, withPad: " ", startingAt: 0)
    line(usesColour ? "\u{1b}[\(Self.colour(tag))m\(padded)\u{1b}[0m " : "\(padded) ", Output.printable(text))
  }

  /// Draws the bar; off a terminal it is a line, whenever another tenth is done.
  func draw(_ update: ProgressUpdate) {
    let percent = update.shownPercent(isDone: update.isFinal) ?? 0
    let filled = percent * 30 / 100
    let text =
      "[\(String(repeating: "#", count: filled))\(String(repeating: ".", count: 30 - filled))] "
      + "\(percent)% \(Int(update.done ?? 0))/\(Int(update.total ?? 0)) \(update.unit ?? "")"
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
      _ = Output.write("\r\u{1b}[K\(text)")
    }
  }

  /// The bar stays where it is, as a line.
  func finishBar() {
    bar.withLock { bar in
      if isTerminal, !bar.isEmpty { Output.write("\n") }
      bar = ""
    }
  }

  private func line(_ mark: String, _ text: String) {
    let width = isTerminal ? 150 : 400
    let text = text.count > width ? text.prefix(width) + "…" : text[...]
    bar.withLock { bar in
      if isTerminal, !bar.isEmpty {
        Output.write("\r\u{1b}[K\(mark)\(text)\n\(bar)")
      } else {
        Output.write("\(mark)\(text)\n")
      }
    }
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
