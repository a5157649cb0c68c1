import Signals

extension Catalogue {
  private static let alone = ProgressRow.aggregated(from: 0, share: 1)

  static let flattening =
    outer(.merge, row: alone) + outer(.merge(max: 2), row: alone) + outer(.concat, row: .unchanged)
    + outer(.latest, row: .unchanged) + outer(.exhaust, row: .unchanged)
    + inner(.merge, row: alone) + inner(.merge(max: 2), row: alone) + inner(.concat, row: .unchanged)
    + inner(.latest, row: .unchanged) + inner(.exhaust, row: .unchanged) + stages

  private static func outer(_ strategy: FlattenStrategy, row: ProgressRow) -> [CatalogueEntry] {
    [
      CatalogueEntry("flatMap(_:expected:_:)", ".\(strategy)", row: row) { source, kit in
        source.flatMap(strategy) { .just(kit.same($0)) }
      },
      CatalogueEntry(
        "flatMap(_:expected:_:)", ".\(strategy) of signals that are silent", row: .whatever,
        onCompletion: .depends, but: .outlivesSource
      ) { source, kit in source.flatMap(strategy) { _ in kit.silent } },
    ]
  }

  private static func inner(_ strategy: FlattenStrategy, row: ProgressRow) -> [CatalogueEntry] {
    [
      CatalogueEntry("flatMap(_:expected:_:)", ".\(strategy), as an inner signal", row: row) { source, kit in
        Signal.just(1).flatMap(strategy) { _ in kit.same(source) }
      },
      CatalogueEntry(
        "flatMap(_:expected:_:)", ".\(strategy), as several inner signals", row: .whatever,
        onCompletion: .depends, but: .startsFirst
      ) { source, kit in Signal.just(1, 2, 3).flatMap(strategy) { _ in kit.same(source) } },
    ]
  }

  private static let stages: [CatalogueEntry] = [
    CatalogueEntry(
      "flatMap(_:expected:_:)", ".concat, one of four", row: .aggregated(from: 0, share: 0.25)
    ) { source, kit in Signal.just(1).flatMap(.concat, expected: 4) { _ in kit.same(source) } },
    CatalogueEntry(
      "flatMap(_:expected:_:)", ".merge, one of four", row: .aggregated(from: 0, share: 0.25)
    ) { source, kit in Signal.just(1).flatMap(.merge, expected: 4) { _ in kit.same(source) } },
    CatalogueEntry("flatten(_:expected:)", ".merge", row: alone) { source, _ in Signal.just(source).flatten()
    },
    CatalogueEntry("flatten(_:expected:)", ".latest") { source, _ in Signal.just(source).flatten(.latest) },
    CatalogueEntry("concat(with:)", row: .aggregated(from: 0, share: 0.5)) { source, _ in
      source.concat(with: .empty)
    },
    CatalogueEntry("concat(with:)", "before one that is silent", row: .whatever, onCompletion: .nothing) {
      source, kit in source.concat(with: kit.silent)
    },
    CatalogueEntry("Signal.concat(_:)", "second", row: .aggregated(from: 0.5, share: 0.5)) { source, _ in
      Signal.concat([.empty, source])
    },
  ]
}
