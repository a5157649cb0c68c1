import Signals

extension Catalogue {
  static let timing: [CatalogueEntry] = [
    CatalogueEntry("delay(_:on:)", row: .queued, but: .isDeaf) { source, kit in
      source.delay(.seconds(1), on: kit.time)
    },
    CatalogueEntry("observe(on:)", row: .queued, but: .isDeaf) { source, kit in source.observe(on: kit.time)
    },
    CatalogueEntry("subscribe(on:)") { source, kit in source.subscribe(on: kit.time) },
    CatalogueEntry("debounce(_:on:)", row: .conflated) { source, kit in
      source.debounce(.seconds(1), on: kit.time)
    },
    CatalogueEntry("throttle(_:leading:trailing:on:)", row: .conflated) { source, kit in
      source.throttle(.seconds(1), on: kit.time)
    },
    CatalogueEntry("throttle(_:leading:trailing:on:)", "trailing", row: .conflated) { source, kit in
      source.throttle(.seconds(1), leading: false, on: kit.time)
    },
    CatalogueEntry("throttle(_:leading:trailing:on:)", "leading", row: .conflated) { source, kit in
      source.throttle(.seconds(1), trailing: false, on: kit.time)
    },
    CatalogueEntry("sample(every:on:)", row: .conflated, but: .isDeaf) { source, kit in
      source.sample(every: .seconds(1), on: kit.time)
    },
    CatalogueEntry("sample(on:)", row: .conflated, but: .isDeaf, .outlivesSource) { source, kit in
      source.sample(on: kit.clock)
    },
    CatalogueEntry("sample(on:)", "as the trigger", row: .dropped, but: .isDeaf, .outlivesSource) {
      source, kit in
      kit.silent.sample(on: source)
    },
    CatalogueEntry("timeout(_:awaiting:on:)") { source, kit in source.timeout(.seconds(9), on: kit.time) },
    CatalogueEntry("timeout(_:awaiting:on:)", ".nextValue") { source, kit in
      source.timeout(.seconds(9), awaiting: .nextValue, on: kit.time)
    },
    CatalogueEntry("timeout(_:awaiting:on:)", ".advance") { source, kit in
      source.timeout(.seconds(9), awaiting: .advance, on: kit.time)
    },
    CatalogueEntry("timeout(_:awaiting:on:)", "timed out", but: .endsEarly) { source, kit in
      source.timeout(.seconds(2), awaiting: .nextValue, on: kit.time)
    },
  ]
}
