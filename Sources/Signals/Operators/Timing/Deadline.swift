/// A deadline that signs of life move, as a pure value type. Signs cost no timer: the one that is armed is armed again
/// when it fires too early.
struct Deadline: Sendable {
  let duration: Duration
  private var due: Duration

  init(_ duration: Duration, from now: Duration) {
    self.duration = duration
    due = now + duration
  }

  mutating func extend(at now: Duration) { due = now + duration }

  /// How much later to ask again; `nil`: the time is up.
  func remaining(at now: Duration) -> Duration? { now < due ? due - now : nil }
}
