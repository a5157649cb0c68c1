/// Why a signal can't have a mailbox.
public enum MailboxError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The policy goes by topics, which values of this type don't have.
  case noTopic(type: String)

  /// One line that names the fault and the mend.
  public var description: String {
    switch self {
    case .noTopic(let type):
      "a mailbox for the latest per topic can't tell the topic of a \(type): use readings, or mailbox(_:topic:)"
    }
  }
}
