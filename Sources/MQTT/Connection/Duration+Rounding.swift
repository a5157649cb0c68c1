extension Duration {
  /// Whole seconds, rounded up.
  var wholeSeconds: Int {
    let (seconds, attoseconds) = bounded.components
    return Int(clamping: attoseconds > 0 && seconds < .max ? seconds + 1 : seconds)
  }

  /// The same, or as many seconds as 64 bits count, before or after zero: a duration can hold more than its components
  /// can, and more than can be added to a time.
  var bounded: Duration {
    min(max(self, .seconds(Int64.min)), .seconds(Int64.max))
  }

  /// Whole milliseconds, rounded up, as `poll` takes them.
  var milliseconds: Int32 {
    if self <= .zero { return 0 }
    let (seconds, attoseconds) = bounded.components
    let whole = min(seconds, Int64(Int32.max)) * 1_000
    return Int32(clamping: whole + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
