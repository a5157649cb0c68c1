extension Signal {
  /// Sends `values` to each subscriber, at once and one after the other, and completes.
  ///
  /// Nothing more is sent when the subscriber needs no more.
  public static func just(_ values: Value...) -> Signal<Value> { .from(values) }
}
