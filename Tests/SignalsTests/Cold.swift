import Signals

/// Cold signals that do all they do while they are subscribed.
enum Cold {
  /// Sends `values` and completes.
  static func values<Value: Sendable>(_ values: Value...) -> Signal<Value> {
    Signal { observer in
      for value in values { observer.send(value) }
      observer.complete()
      return nil
    }
  }

  /// Counts from 0 until nobody listens.
  static let endless = Signal<Int> { observer in
    var count = 0
    while !observer.isDisposed {
      observer.send(count)
      count += 1
    }
    return nil
  }

  /// Fails.
  static func failure<Value: Sendable>(_ error: any Error = Broken()) -> Signal<Value> {
    Signal { observer in
      observer.fail(error)
      return nil
    }
  }

  /// Sends progress, as fractions, and completes.
  static func progress(_ updates: ProgressUpdate...) -> Signal<Int> {
    Signal { observer in
      for update in updates { observer.send(progress: update) }
      observer.complete()
      return nil
    }
  }
}
