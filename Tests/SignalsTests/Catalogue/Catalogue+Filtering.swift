import Signals

extension Catalogue {
  static let filtering: [CatalogueEntry] = [
    CatalogueEntry("filter(_:)") { source, kit in source.filter { kit.same($0.number != 2) } },
    CatalogueEntry("removeDuplicates()") { source, _ in source.removeDuplicates() },
    CatalogueEntry("removeDuplicates(by:)") { source, kit in
      source.removeDuplicates { kit.same($0.number / 2 == $1.number / 2) }
    },
    CatalogueEntry("skip(_:)") { source, _ in source.skip(1) },
    CatalogueEntry("skip(while:)") { source, kit in source.skip(while: { kit.same($0.number < 2) }) },
    CatalogueEntry("skip(until:)", "opened") { source, kit in source.skip(until: kit.one) },
    CatalogueEntry("skip(until:)", "shut", but: .outlivesSource) { source, kit in
      source.skip(until: kit.silent)
    },
    CatalogueEntry(
      "skip(until:)", "as the trigger", row: .dropped, onFailure: .depends, onCompletion: .nothing,
      but: .outlivesSource
    ) { source, kit in kit.silent.skip(until: source) },
    CatalogueEntry("skip(for:on:)") { source, kit in source.skip(for: .seconds(1), on: kit.time) },
    CatalogueEntry("take(_:)", but: .endsEarly) { source, _ in source.take(2) },
    CatalogueEntry("take(_:)", "none", but: .endsEarly) { source, _ in source.take(0) },
    CatalogueEntry("take(while:inclusive:)", but: .endsEarly) { source, kit in
      source.take(while: { kit.same($0.number < 2) })
    },
    CatalogueEntry("take(while:inclusive:)", "inclusive", but: .endsEarly) { source, kit in
      source.take(while: { kit.same($0.number < 2) }, inclusive: true)
    },
    CatalogueEntry("take(until:)", but: .outlivesSource) { source, kit in source.take(until: kit.silent) },
    CatalogueEntry("take(until:)", "triggered", but: .endsEarly) { source, kit in
      source.take(until: kit.clock)
    },
    CatalogueEntry("take(until:)", "as the trigger", row: .dropped, but: .endsEarly, .outlivesSource) {
      source, kit in
      kit.silent.take(until: source)
    },
    CatalogueEntry("take(for:on:)", but: .endsEarly) { source, kit in
      source.take(for: .seconds(2), on: kit.time)
    },
  ]
}
