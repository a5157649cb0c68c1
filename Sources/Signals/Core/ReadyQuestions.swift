/// Who wants to know when a subscription is ready, as a value type.
///
/// Of those who wait as tasks only one question at a time is on its way to the sources, however often tasks come and give
/// up; who comes meanwhile gets the answer to the next.
struct ReadyQuestions: Sendable {
  typealias Task = Outcome<Void>

  /// From other sources, before this one has been attached.
  var early: [@Sendable () -> Void] = []
  private var tasks: [ObjectIdentifier: Task] = [:]
  /// Those for whom the question is on its way; `nil`: none is.
  private var asked: [ObjectIdentifier]?

  mutating func join(_ task: Task) { tasks[ObjectIdentifier(task)] = task }

  mutating func leave(_ task: Task) { tasks[ObjectIdentifier(task)] = nil }

  /// Whether to ask now.
  mutating func ask() -> Bool {
    guard asked == nil, !tasks.isEmpty else { return false }
    asked = Array(tasks.keys)
    return true
  }

  /// The answer has come: gives those who asked.
  mutating func answered() -> [Task] {
    defer { asked = nil }
    return (asked ?? []).compactMap { tasks.removeValue(forKey: $0) }
  }

  /// It has ended: gives all tasks, to be told, and what only has to be let go of.
  mutating func end() -> (tasks: [Task], early: [@Sendable () -> Void]) {
    defer { self = Self() }
    return (Array(tasks.values), early)
  }
}
