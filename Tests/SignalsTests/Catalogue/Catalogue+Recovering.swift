import Signals

extension Catalogue {
  static let recovering: [CatalogueEntry] = [
    CatalogueEntry("retry(_:backoff:on:)", row: .attempt(1), onFailure: .nothing) { source, _ in
      source.retry(1)
    },
    CatalogueEntry("retry(_:backoff:on:)", "given up", row: .attempt(1)) { source, _ in source.retry(0) },
    CatalogueEntry("retry(_:backoff:on:)", "second try", row: .attempt(2)) { source, _ in
      failingFirst(source).retry(1)
    },
    CatalogueEntry("retry(_:backoff:on:)", "later", row: .attempt(1), onFailure: .nothing) { source, kit in
      source.retry(1, backoff: .constant(.seconds(1)), on: kit.time)
    },
    CatalogueEntry("retry(backoff:on:)", row: .attempt(1), onFailure: .nothing) { source, kit in
      source.retry(backoff: .constant(.seconds(1)), on: kit.time)
    },
    CatalogueEntry("retry(on:when:)", row: .attempt(1), onFailure: .nothing) { source, kit in
      source.retry(on: kit.time) { _, attempt in attempt < kit.same(2) ? .zero : nil }
    },
    CatalogueEntry("catch(_:)", row: .attempt(1), onFailure: .completed) { source, kit in
      source.catch { _ in kit.same(.empty) }
    },
    CatalogueEntry("catch(_:)", "by one that is silent", row: .attempt(1), onFailure: .nothing) {
      source, kit in
      source.catch { _ in kit.silent }
    },
    CatalogueEntry("catch(_:)", "as the replacement", row: .attempt(2)) { source, kit in
      Signal.failed(Broken()).catch { _ in kit.same(source) }
    },
    CatalogueEntry("replaceError(with:)", onFailure: .completed) { source, _ in
      source.replaceError(with: Item(9))
    },
  ]

  /// Every second start fails.
  private static func failingFirst(_ signal: Signal<Item>) -> Signal<Item> {
    let starts = CallCounter()
    return .deferred { starts.next() % 2 == 1 ? .failed(Broken()) : signal }
  }
}
