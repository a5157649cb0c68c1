import Signals

extension Catalogue {
  static let grouping: [CatalogueEntry] = [
    CatalogueEntry("buffer(count:)") { source, _ in source.buffer(count: 2) },
    CatalogueEntry("buffer(count:every:on:)") { source, kit in
      source.buffer(count: 2, every: .seconds(1), on: kit.time)
    },
    CatalogueEntry("window(count:)") { source, _ in source.window(count: 2) },
    CatalogueEntry("window(count:)", "flattened", row: .aggregated(from: 0, share: 1)) { source, _ in
      source.window(count: 2).flatten()
    },
    CatalogueEntry("window(count:every:on:)") { source, kit in
      source.window(count: 2, every: .seconds(1), on: kit.time)
    },
    CatalogueEntry("window(count:every:on:)", "flattened", row: .aggregated(from: 0, share: 1)) {
      source, kit in
      source.window(every: .seconds(1), on: kit.time).flatten()
    },
  ]
}
