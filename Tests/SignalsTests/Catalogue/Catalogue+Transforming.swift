import Signals

extension Catalogue {
  static let transforming: [CatalogueEntry] = [
    CatalogueEntry("map(_:)") { source, kit in source.map { kit.same($0) } },
    CatalogueEntry("compactMap(_:)") { source, kit in
      source.compactMap { $0.number == 2 ? nil : kit.same($0) }
    },
    CatalogueEntry("tryMap(_:)") { source, kit in source.tryMap { kit.same($0) } },
    CatalogueEntry("tryMap(_:)", "throwing", but: .endsEarly) { source, kit in
      source.tryMap { value throws(Broken) in
        if value.number == 2 { throw Broken() }
        return kit.same(value)
      }
    },
    CatalogueEntry("transform(_:_:)") { source, kit in
      source.transform(0) { count, value, observer in
        count += 1
        observer.send(kit.same(value))
      }
    },
    CatalogueEntry("mapError(_:)") { source, kit in source.mapError { kit.same($0) } },
    CatalogueEntry("scan(_:_:)") { source, kit in source.scan(0) { kit.same($0 + $1.number) } },
    CatalogueEntry("scan(into:_:)") { source, kit in source.scan(into: []) { $0.append(kit.same($1)) } },
    CatalogueEntry("reduce(_:_:)") { source, kit in source.reduce(0) { kit.same($0 + $1.number) } },
    CatalogueEntry("reduce(into:_:)") { source, kit in source.reduce(into: []) { $0.append(kit.same($1)) } },
    CatalogueEntry("collect()") { source, _ in source.collect() },
    CatalogueEntry("materialize()", row: .asValue { "progress(\($0))" }, onFailure: .completed) { source, _ in
      source.materialize()
    },
    CatalogueEntry("dematerialize()") { source, _ in source.materialize().dematerialize() },
  ]
}
