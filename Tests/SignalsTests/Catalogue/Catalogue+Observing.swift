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
}
