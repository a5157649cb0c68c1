/// Something that did not end a signal, but that somebody should know: see ``Bus/problems``.
///
/// It is an error where a payload that does not decode shall end its signal: ``BadPayloadPolicy/fail``.
public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
  /// Where it happened; empty for what happened to the whole bus.
  public let topic: String
  /// What happened, in one line.
  public let reason: String
  /// The first bytes of the payload, 64 at most.
  public let payloadStart: [UInt8]

  init(_ topic: String, _ reason: String, _ payload: [UInt8] = []) {
    self.topic = topic
    self.reason = reason
    payloadStart = Array(payload.prefix(64))
  }

  /// One line.
  public var description: String { topic.isEmpty ? reason : "\"\(topic)\": \(reason)" }
}
