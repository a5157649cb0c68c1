extension Signal {
  /// What counts of a signal that is only a trigger: that it sends, and how it ends.
  var asTrigger: Signal<Void> { ignoreProgress().map { _ in } }
}
