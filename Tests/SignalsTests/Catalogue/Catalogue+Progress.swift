import Signals

extension Catalogue {
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
}
