internal import Synchronization

/// Tells whether code still runs inside the call that made this, in the same thread or task.
///
/// A task-local value is inherited by the tasks that are started under it, which run elsewhere and later. What must
/// not be inherited carries a place and asks it.
final class SynchronousPlace: Sendable {
  private let task = withUnsafeCurrentTask { $0?.hashValue }
  private let isLeft = Atomic(false)

  /// Tasks differ from what they inherit from, and nothing but a task inherits. That a later task has the identity of
  /// an earlier one doesn't matter: the earlier one's place has been left.
  var isHere: Bool {
    !isLeft.load(ordering: .relaxed) && task == withUnsafeCurrentTask { $0?.hashValue }
  }

  func leave() { isLeft.store(true, ordering: .relaxed) }
}
