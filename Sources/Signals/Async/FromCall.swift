extension Signal {
  /// The result of an async call: sends what `call` returns and completes, or fails with what it throws.
  ///
  /// Nothing is called before somebody subscribes. Each subscription calls anew, in a task of its own that belongs to no
  /// actor; its disposal cancels the task. A `call` that doesn't look whether it is cancelled goes on, and what comes of
  /// it is dropped; a shared signal starts anew only when the task of the last run is over. A call without a result
  /// sends `()`. No progress is made up.
  ///
  /// ```swift
  /// let forecast = Signal.from { try await service.forecast(for: city) }
  ///   .retry(3, backoff: Backoff(initial: .seconds(1)))
  /// ```
  ///
  /// - Parameters:
  ///   - priority: that of the task.
  ///   - call: what to call.
  public static func from(
    priority: TaskPriority? = nil, _ call: @escaping @Sendable () async throws -> Value
  ) -> Signal<Value> {
    inTask(priority: priority) { observer in observer.send(try await call()) }
  }
}
