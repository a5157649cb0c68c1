internal import Synchronization

/// An observer's seat in a run: takes it out of the run's subject, and tells the hub, once.
///
/// Apart from the entry, which the subject holds: the subject of a run must not keep its hub.
final class ShareSeat: Disposable {
  private let generation: UInt64
  private let source: any Disposable
  private let entry: any Disposable
  private let hub: ShareHub
  private let isLeft = Atomic(false)

  init(_ run: ShareRun, _ entry: any Disposable, _ hub: ShareHub) {
    generation = run.generation
    source = run.source
    self.entry = entry
    self.hub = hub
  }

  func dispose() { leave() }

  func whenReady(_ action: @escaping @Sendable () -> Void) { hub.whenReady(generation, action) }

  var whyGone: (any Error)? { source.whyGone }

  func leave(hasArrived: Bool = true) {
    guard !isLeft.exchange(true, ordering: .relaxed) else { return }
    entry.dispose()
    hub.leave(generation, hasArrived: hasArrived)
  }
}
