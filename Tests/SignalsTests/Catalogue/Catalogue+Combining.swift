import Signals

extension Catalogue {
  private static let alone = ProgressRow.aggregated(from: 0, share: 1)
  private static let besideHeavy = ProgressRow.aggregated(from: 0, share: 0.25)

  static let combining: [CatalogueEntry] = [
    CatalogueEntry("startWith(_:)") { source, _ in source.startWith(Item(8), Item(9)) },
    CatalogueEntry("merge(with:)", row: alone) { source, _ in source.merge(with: .empty) },
    CatalogueEntry(
      "merge(with:)", "a heavier one", row: besideHeavy, onCompletion: .nothing, but: .startsFirst
    ) { source, kit in
      source.merge(with: kit.heavy)
    },
    CatalogueEntry("Signal.merge(_:)", "second", row: alone, onCompletion: .nothing, but: .outlivesSource) {
      source, kit in
      Signal.merge([kit.silent, source])
    },
    CatalogueEntry("zip(with:)", row: alone, but: .startsFirst) { source, kit in source.zip(with: kit.plenty)
    },
    CatalogueEntry("zip(with:)", "a heavier one", row: besideHeavy, but: .startsFirst) { source, kit in
      source.zip(with: kit.heavy)
    },
    CatalogueEntry(
      "zip(with:)", "one that is silent", row: alone, onCompletion: .depends, but: .outlivesSource
    ) {
      source, kit in source.zip(with: kit.silent)
    },
    CatalogueEntry("Signal.zip(_:)", "second", row: alone) { source, kit in Signal.zip([kit.plenty, source])
    },
    CatalogueEntry("Signal.zip(_:_:_:)", row: alone, but: .startsFirst) { source, kit in
      Signal.zip(kit.plenty, source, kit.plenty.map(\.number))
    },
    CatalogueEntry("combineLatest(with:)", row: alone, but: .startsFirst) { source, _ in
      source.combineLatest(with: .just(Item(70)))
    },
    CatalogueEntry(
      "combineLatest(with:)", "a heavier one", row: besideHeavy, onCompletion: .depends, but: .startsFirst
    ) {
      source, kit in source.combineLatest(with: kit.heavy)
    },
    CatalogueEntry(
      "combineLatest(with:)", "one that is silent", row: alone, onCompletion: .depends, but: .outlivesSource
    ) { source, kit in source.combineLatest(with: kit.silent) },
    CatalogueEntry("Signal.combineLatest(_:)", "second", row: alone) { source, _ in
      Signal.combineLatest([.just(Item(70)), source])
    },
    CatalogueEntry("Signal.combineLatest(_:_:_:)", row: alone, but: .startsFirst) { source, _ in
      Signal.combineLatest(.just(1), source, .just("a"))
    },
    CatalogueEntry("withLatest(from:)") { source, kit in source.withLatest(from: kit.one) },
    CatalogueEntry("withLatest(from:)", "one that is silent", but: .outlivesSource) { source, kit in
      source.withLatest(from: kit.silent)
    },
    CatalogueEntry(
      "withLatest(from:)", "as the other", row: .dropped, onCompletion: .nothing, but: .outlivesSource,
      .isDeaf
    ) { source, kit in kit.silent.withLatest(from: source) },
  ]
}
