/// All operators, as far as they can be told of the same way: see `CatalogueEntry`. A new operator belongs into the list
/// of its folder; what makes signals of nothing belongs into `sources`, and what can't be tested here into `elsewhere`.
enum Catalogue {
  static let operators =
    transforming + filtering + combining + flattening + recovering + timing + grouping + observing + progress
    + sharing

  /// What is tested by a suite of its own, because it needs threads or tasks: the file with that suite.
  static let elsewhere = [
    "first(timeout:on:isolation:)": "Async/FirstTests.swift",
    "values(buffer:)": "Async/ValuesTests.swift",
    "events(buffer:)": "Async/EventsTests.swift",
    "progress(buffer:)": "Async/EventsTests.swift",
    "Signal.from(_:priority:)": "Async/FromTests.swift",
    "Signal.from(priority:_:)": "Async/FromCallTests.swift",
    "observeOnMain(_:progress:failed:completed:)": "Operators/Timing/MainActorTests.swift",
  ]

  /// The names of all.
  static var declarations: Set<String> {
    Set(operators.map(\.declaration)).union(sources.map(\.declaration)).union(elsewhere.keys)
  }
}
