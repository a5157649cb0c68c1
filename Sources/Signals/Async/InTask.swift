extension Signal {
  /// Runs `body` in a task for each subscription: when it returns the signal completes, and what it throws fails it.
  ///
  /// The disposal cancels the task, and is over when the task is.
  static func inTask(
    priority: TaskPriority?, _ body: @escaping @Sendable (Observer<Value>) async throws -> Void
  ) -> Signal<Value> {
    Signal({ observer in
      // Detached: who happens to subscribe first must not decide about the actor, the priority or the task locals.
      let task = Task.detached(priority: priority) {
        do {
          try await body(observer)
          observer.complete()
        } catch {
          observer.fail(error)
        }
      }
      return AsyncDisposable {
        task.cancel()
        await task.value
      }
    })
  }
}
