/// What becomes of a payload that does not decode.
public enum BadPayloadPolicy: Sendable, Hashable {
  /// It goes to ``Bus/problems``, and the signal goes on: on a bus anybody may publish anything.
  case report
  /// It fails the signal, with the ``Problem`` as the error.
  case fail
}
