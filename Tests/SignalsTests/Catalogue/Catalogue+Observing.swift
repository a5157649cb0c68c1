import Signals

extension Catalogue {
  static let observing: [CatalogueEntry] = [
    CatalogueEntry("handleEvents(next:progress:failed:completed:subscribed:disposed:)", but: .keepsClosure) {
      source, kit in
      source.handleEvents(
        next: { _ in kit.same(()) }, progress: { _ in kit.same(()) }, failed: { _ in kit.same(()) },
        completed: { kit.same(()) }, subscribed: { kit.same(()) }, disposed: { kit.same(()) })
    },
    CatalogueEntry("log(_:to:)", but: .keepsClosure) { source, kit in source.log(to: { _ = kit.same($0) }) },
    CatalogueEntry("named(_:)") { source, _ in source.named("kitchen") },
    CatalogueEntry("Signal.deferred(_:)") { source, kit in .deferred { kit.same(source) } },
    CatalogueEntry("subscribe(_:)") { source, kit in Signal { kit.same(source).subscribe($0) } },
    CatalogueEntry("subscribe(_:progress:failed:completed:)", but: .isDeaf) { source, kit in
      Signal { observer in
        kit.same(source).subscribe {
          observer.send($0)
        } progress: {
          observer.send(progress: $0)
        } failed: {
          observer.fail($0)
        } completed: {
          observer.complete()
        }
      }
    },
    CatalogueEntry("warm(for:on:)", but: .isDeaf) { source, kit in
      Signal { observer in
        source.handleEvents(
          next: { observer.send($0) }, progress: { observer.send(progress: $0) },
          failed: { observer.fail($0) }, completed: { observer.complete() }
        ).warm(for: .seconds(9), on: kit.time)
      }
    },
  ]

  static let progress: [CatalogueEntry] = [
    CatalogueEntry("mapProgress(_:)", row: .mapped { $0.fraction == 0.25 ? nil : 1.0 }) { source, kit in
      source.mapProgress { $0.fraction == 0.25 ? nil : kit.same(1.0) }
    },
    CatalogueEntry("ignoreProgress()", row: .dropped) { source, _ in source.ignoreProgress() },
    CatalogueEntry("onlyProgress()") { source, _ in source.onlyProgress() },
    CatalogueEntry("progressUpdates()", row: .asValue { "\($0)" }) { source, _ in source.progressUpdates() },
    CatalogueEntry("weighted(by:)", row: .mapped { ProgressUpdate(fraction: $0.fraction, weight: 3) }) {
      source, _ in
      source.weighted(by: 3)
    },
    CatalogueEntry("monotonic()", row: .raised) { source, _ in source.monotonic() },
    CatalogueEntry("countingProgress(total:unit:)", row: .dropped) { source, _ in
      source.countingProgress(total: 4)
    },
    CatalogueEntry("estimated(on:)") { source, kit in source.estimated(on: kit.time) },
  ]

  private static let sharedName = "shared(replay:linger:onFailure:onCompletion:stale:on:)"

  static let sharing: [CatalogueEntry] = [
    CatalogueEntry(sharedName, but: .outlivesSource, .isShared) { source, _ in source.shared() },
    CatalogueEntry(sharedName, "replaying", but: .outlivesSource, .isShared) { source, _ in
      source.shared(replay: 2)
    },
    CatalogueEntry(sharedName, "lingering", but: .outlivesSource, .isShared, .lingers(.seconds(1))) {
      source, kit in
      source.shared(replay: 1, linger: .seconds(1), on: kit.time)
    },
    CatalogueEntry(sharedName, "latching", but: .outlivesSource, .isShared, .keepsValues) { source, kit in
      source.shared(replay: 1, onFailure: .latch, onCompletion: .latch, stale: .keep, on: kit.time)
    },
  ]
}
