/// The beginning and the end of a subscription.
enum SubscriptionMark: TimelineMark {
  case subscribed
  case disposed

  var text: String {
    switch self {
    case .subscribed: "^"
    case .disposed: "!"
    }
  }

  static var alphabet: String {
    "Write - for a tick, ^ for the subscription, ! for its end, [^!] for both in one tick."
  }

  static func read(_ first: Unicode.Scalar, _: inout MarbleCursor) throws(MarbleError) -> SubscriptionMark? {
    switch first {
    case "^": .subscribed
    case "!": .disposed
    default: nil
    }
  }

  static func fault(
    of mark: SubscriptionMark?, after marks: [SubscriptionMark]
  ) -> (problem: String, mend: String)? {
    switch (mark, marks.last) {
    case (.disposed, nil):
      (#"an end "!" without its "^""#, "Write ^ where the subscription begins.")
    case (.subscribed, .subscribed), (.subscribed, .disposed):
      (#"a second "^""#, "Each subscription has a line of its own.")
    case (.disposed, .disposed):
      (#"a second "!""#, "A subscription ends once.")
    case (nil, .disposed):
      (#"a tick "-" after the end"#, "Nothing comes after !: end the line there, and pad with spaces.")
    case (.subscribed, nil), (.disposed, .subscribed), (nil, nil), (nil, .subscribed):
      nil
    }
  }
}
