extension Duration {
  /// The greatest multiple of `period` that is not above this; both from zero on. Exact, however many there are.
  func roundedDown(to period: Duration) -> Duration {
    Duration(attoseconds: attoseconds - attoseconds % period.attoseconds)
  }
}
