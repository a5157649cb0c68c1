extension Signal {
  /// The progress as an async sequence, which ends with the signal and throws its error.
  ///
  /// Without other instructions a slow consumer gets the latest, and always the last one before the terminal; with
  /// `.unbounded` it gets each. Values are left out. Apart from that it is like `values(buffer:)`.
  ///
  /// ```swift
  /// for try await update in signal.progress() { bar.fraction = update.fraction }
  /// ```
  public func progress(buffer: BufferPolicy = .newest(1)) -> SignalValues<ProgressUpdate> {
    progressUpdates().values(buffer: buffer)
  }
}
