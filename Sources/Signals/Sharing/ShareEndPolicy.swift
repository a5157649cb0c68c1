/// What a shared signal does for who comes after its run has ended by itself.
public enum ShareEndPolicy: Sendable, Hashable, CaseIterable {
  /// The next observer starts a fresh run.
  case restart
  /// That was the last run: who comes later gets its replayed values, its latest progress and its end, and the source
  /// is not started again.
  case latch
}
