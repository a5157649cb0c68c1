/// What a signal sends and when, drawn as a line: `"-a-(25)-b|"`.
///
/// One column is one tick of a `VirtualScheduler`, 10 ms when it says nothing else; the first is time zero.
///
/// | written | means |
/// |---|---|
/// | `-` | a tick in which nothing comes |
/// | `a`, `7` | a value: one letter or digit |
/// | `'long'` | any other value, as `String(describing:)` gives it; `\'`, `\\`, `\n` and `\u{1B}` as in Swift |
/// | `(25)` | progress of 25 % |
/// | `(3/7)`, `(3/?)` | progress: 3 done of 7, of an unknown total; with another percentage `(50,3/7)` |
/// | `(?)` | progress, unknown how far |
/// | `(25,@2,*3)` | the same in attempt 2 and with weight 3, either of which may be left out |
/// | `[ab]` | several events in one tick, in their order |
/// | `\|` | the completion |
/// | `#` | a failure, with any error |
/// | space | nothing at all: pads diagrams, to align them |
///
/// Every mark takes one tick, however long it is written. Diagrams are equal when they say the same: ticks after
/// the last event, padding and the spelling of numbers make no difference. What a progress has besides (unit,
/// message, phase, rate …) is not drawn: see `Recording.events` for it.
///
/// ```swift
/// let time = VirtualScheduler()
/// let source = time.cold("-a-(25)-b|")
/// #expect(time.play(source.signal.map { $0.uppercased() }) == "-A-(25)-B|")
/// #expect(source.subscriptions == ["^-----!"])
/// ```
public struct Marble: Sendable {
  let timeline: Timeline<EventMark>

  /// Reads a diagram; throws what is wrong with it.
  public init(parsing text: String) throws(MarbleError) {
    timeline = try Timeline(parsing: text)
  }

  init(_ timeline: Timeline<EventMark>) { self.timeline = timeline }

  /// The diagram in its one canonical form: no spaces, nothing after the last event, `-` when there is none.
  ///
  /// An event that does not come at the beginning of a tick is drawn as `{a +0.003 seconds}`. No diagram can be
  /// written so: choose a tick that divides the times of the test.
  public var text: String { timeline.text }
}

extension Marble: ExpressibleByStringLiteral {
  /// The diagram, which traps when something is wrong with it.
  public init(stringLiteral text: String) {
    do { try self.init(parsing: text) } catch {
      fatalError("A diagram can't be read:\n\(error)")
    }
  }
}

extension Marble: Equatable, CustomStringConvertible {
  /// Whether both say the same, however they are padded.
  public static func == (left: Marble, right: Marble) -> Bool { left.text == right.text }

  /// The diagram on a line of its own: so a failed expectation shows two diagrams one under the other.
  public var description: String { "\n  \(text)" }
}
