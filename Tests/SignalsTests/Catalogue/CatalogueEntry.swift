import Signals
import Testing

/// An operator, or one way of using it, and what it promises.
struct CatalogueEntry: Sendable, CustomTestStringConvertible {
  /// What comes out when the source ends.
  enum Ending: Sendable {
    case failed, completed
    /// Nothing yet: something else goes on.
    case nothing
    /// It depends on what came before.
    case depends
  }

  /// What is unlike other operators, each for a reason that its documentation gives.
  enum Exception: Hashable, Sendable {
    /// It ends by itself, before its source does.
    case endsEarly
    /// It goes on when its source is gone without a terminal: something else may still send.
    case outlivesSource
    /// A source without an end is not told, while it starts, that enough has come: nothing comes out so early, or what
    /// would end it is there only when it has started.
    case isDeaf
    /// What it is combined with starts later: the source is heard in another order when it sends while it starts.
    case startsFirst
    /// A subscription joins what is there: its history is not its own.
    case isShared
    /// What the source sent is kept after the end, on purpose.
    case keepsValues
    /// A source that is gone without a terminal leaves a closure that a disposal will still run.
    case keepsClosure
    /// The source is stopped this much later.
    case lingers(Duration)
  }

  /// Its name as in `take(while:inclusive:)`, with `Signal.` before a static one.
  let declaration: String
  /// Which use of it, if there are several entries.
  let use: String
  let row: ProgressRow
  let onFailure: Ending
  let onCompletion: Ending
  private let exceptions: Set<Exception>
  let apply: @Sendable (Signal<Item>, Kit) -> Signal<String>

  init<Output>(
    _ declaration: String, _ use: String = "", row: ProgressRow = .unchanged, onFailure: Ending = .failed,
    onCompletion: Ending = .completed, but exceptions: Exception...,
    apply: @escaping @Sendable (Signal<Item>, Kit) -> Signal<Output>
  ) {
    self.declaration = declaration
    self.use = use
    self.row = row
    self.onFailure = onFailure
    self.onCompletion = onCompletion
    self.exceptions = Set(exceptions)
    self.apply = { apply($0, $1).map { "\($0)" } }
  }

  var testDescription: String { use.isEmpty ? declaration : "\(declaration), \(use)" }

  func has(_ exception: Exception) -> Bool { exceptions.contains(exception) }

  var linger: Duration {
    for case .lingers(let duration) in exceptions { return duration }
    return .zero
  }
}
