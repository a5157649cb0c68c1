extension Signal {
  /// The elements of an async sequence; its end completes the signal, and what it throws fails it.
  ///
  /// Each subscription iterates in a task of its own, never on the main actor; its disposal cancels the task. The
  /// sequence is asked for the next element when the handlers of the last one have returned. A shared signal starts
  /// anew only when the task of the last run is over. No progress is made up.
  ///
  /// - Parameters:
  ///   - sequence: what to iterate. Where it can be iterated only once, so can the signal: see `shared`.
  ///   - priority: that of the task.
  public static func from<Elements>(_ sequence: Elements, priority: TaskPriority? = nil) -> Signal<Value>
  where Elements: AsyncSequence & Sendable, Elements.Element == Value {
    inTask(priority: priority) { observer in
      for try await value in sequence {
        observer.send(value)
        // Not all sequences look whether their task is cancelled.
        if observer.isDisposed { return }
      }
    }
  }
}
