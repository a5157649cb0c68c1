/// Who wants to know when a subscription is ready, as a value type.
///
/// Of those who wait as tasks only one question at a time is on its way to the sources, however often tasks come and give
/// up; who comes meanwhile gets the answer to the next.
struct ReadyQuestions: Sendable {
  typealias Waiter = Outcome<Void>

  /// From other sources, before this one has been attached.
  var early: [@Sendable () -> Void] = []
  private var tasks: [ObjectIdentifier: (number: Int, waiter: Waiter)] = [:]
  private var lastNumber = 0
  /// The number of the last for whom the question is on its way; `nil`: none is.
  private var asked: Int?

  mutating func join(_ task: Waiter) {
    lastNumber += 1
    tasks[ObjectIdentifier(task)] = (lastNumber, task)
  }

  mutating func leave(_ task: Waiter) { tasks[ObjectIdentifier(task)] = nil }

  /// Whether to ask now.
  mutating func ask() -> Bool {
    guard asked == nil, !tasks.isEmpty else { return false }
    asked = lastNumber
    return true
  }

  /// The answer has come: gives those who asked.
  mutating func answered() -> [Waiter] {
    defer { asked = nil }
    let done = tasks.filter { [asked] in $0.value.number <= asked ?? 0 }
    for key in done.keys { tasks[key] = nil }
    return done.values.map(\.waiter)
  }

  /// It has ended: gives all tasks, to be told, and what only has to be let go of.
  mutating func end() -> (tasks: [Waiter], early: [@Sendable () -> Void]) {
    defer { self = Self() }
    return (tasks.values.map(\.waiter), early)
  }
}
