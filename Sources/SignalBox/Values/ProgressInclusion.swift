/// Whether a signal of values also carries the progress that is published one level below its topics.
public enum ProgressInclusion: Sendable, Hashable {
  /// Values only.
  case excluded
  /// What comes at `<filter>/_progress` comes as progress events. That is a second subscription of the broker.
  ///
  /// The broker says nothing of the order between topics, so a progress may come a little before or after its values.
  /// What is no progress goes to ``Bus/problems``, in any case. Not for filters that end in `#`.
  case included
}
