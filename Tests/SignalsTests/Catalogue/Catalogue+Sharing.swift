import Signals

extension Catalogue {
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
