/// Decides where batches of values begin and end.
///
/// A batch begins with its first value, so there are no empty ones. It ends with its last value, when its time is up, and
/// with the source.
struct BatchMachine: Sendable {
  /// What to do with a value, in this order: begin a batch, put the value in, end the batch.
  struct Step: Equatable {
    /// The batch that begins, whose time runs from now.
    var begins: Int?
    var ends = false
  }

  private let limit: Int
  private var count = 0
  private var batch = 0

  /// At most `limit` values a batch.
  init(limit: Int) { self.limit = limit }

  /// A value has come.
  mutating func next() -> Step {
    var step = Step()
    if count == 0 {
      batch &+= 1
      step.begins = batch
    }
    count += 1
    step.ends = count == limit
    if step.ends { count = 0 }
    return step
  }

  /// The time of a batch is up, perhaps of one that has ended meanwhile. `true`: it ends now.
  mutating func timeIsUp(for batch: Int) -> Bool {
    batch == self.batch && finish()
  }

  /// The source has ended. `true`: so does a batch.
  mutating func finish() -> Bool {
    defer { count = 0 }
    return count > 0
  }
}
