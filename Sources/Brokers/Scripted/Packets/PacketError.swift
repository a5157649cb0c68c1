/// Why bytes are no packet, or a packet has no bytes.
public struct PacketError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The type of the packet, if its first byte says it.
  public let kind: Packet.Kind?
  /// What is wrong, such as "filter 2 ends after 3 of its 5 bytes".
  public let problem: String

  init(_ kind: Packet.Kind?, _ problem: String) {
    self.kind = kind
    self.problem = problem
  }

  /// The type and the problem, in one line.
  public var description: String { "\(kind?.description ?? "packet"): \(problem)" }
}
