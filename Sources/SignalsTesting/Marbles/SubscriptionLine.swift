/// When one subscription began and when it ended, one column a tick: `"--^---!"`.
///
/// `^` is the subscription, `!` its end: a disposal, or the terminal of the source. Without `!` it goes on. `[^!]`
/// are both in one tick; spaces say nothing.
///
/// ```swift
/// let source = time.cold("-a-b-c|")
/// #expect(time.play(source.signal, during: "--^--!") == "---a")
/// #expect(source.subscriptions == ["--^--!"])
/// ```
///
/// As the time of a recording it reaches from the beginning of `^`, with what comes in that tick, to the beginning
/// of `!`, without what comes in that tick.
public struct SubscriptionLine: Sendable {
  let timeline: Timeline<SubscriptionMark>

  /// Reads a line; throws what is wrong with it.
  public init(parsing text: String) throws(MarbleError) {
    timeline = try Timeline(parsing: text)
    if timeline.moments.isEmpty {
      throw MarbleError(
        text: text, place: 0, problem: #"a line without "^""#, mend: "Write ^ where the subscription begins.")
    }
  }

  init(subscribed: Duration, disposed: Duration?, tick: Duration) {
    var timeline = Timeline<SubscriptionMark>()
    timeline.append(.subscribed, at: subscribed, tick: tick)
    if let disposed { timeline.append(.disposed, at: disposed, tick: tick) }
    self.timeline = timeline
  }

  /// The line, in its one canonical form.
  public var text: String { timeline.text }
}

extension SubscriptionLine: ExpressibleByStringLiteral {
  /// The line, which traps when something is wrong with it.
  public init(stringLiteral text: String) {
    do { try self.init(parsing: text) } catch {
      fatalError("A subscription line can't be read:\n\(error)")
    }
  }
}

extension SubscriptionLine: Equatable, CustomStringConvertible {
  /// Whether both say the same, however they are padded.
  public static func == (left: SubscriptionLine, right: SubscriptionLine) -> Bool { left.text == right.text }

  /// The line itself.
  public var description: String { text }
}
