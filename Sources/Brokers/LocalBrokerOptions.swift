extension LocalBroker {
  /// How a `LocalBroker` is set up; the default is an open broker at a free port that forgets everything.
  public struct Options: Sendable {
    /// Where the broker keeps retained messages and sessions.
    public enum Storage: Sendable {
      /// Nowhere: each start is a fresh one.
      case memory
      /// In the broker's own folder: kept over `restart`, gone after `stop`.
      case temporary
      /// In the folder at this path, which is made if it is missing and stays.
      case folder(String)
    }

    /// The TCP port, or `nil` to have a free one chosen.
    public var port: UInt16?
    /// Where retained messages and sessions are kept.
    public var storage: Storage
    /// Passwords by user name; they reach the broker hashed, and never as an argument.
    public var users: [String: String]
    /// Whether clients without a user name are let in; by default only when there are no `users`.
    public var allowsAnonymous: Bool
    /// How the broker speaks TLS, or `nil` for none.
    public var tls: TLS?
    /// The lines of an access control file, such as `user alice` and `topic read home/#`; none allow all.
    public var accessRules: [String]
    /// More lines for mosquitto's configuration file, as in `man mosquitto.conf`.
    public var configuration: [String]

    /// Options that differ from the default where a parameter says so.
    public init(
      port: UInt16? = nil,
      storage: Storage = .memory,
      users: [String: String] = [:],
      allowsAnonymous: Bool? = nil,
      tls: TLS? = nil,
      accessRules: [String] = [],
      configuration: [String] = []
    ) {
      self.port = port
      self.storage = storage
      self.users = users
      self.allowsAnonymous = allowsAnonymous ?? users.isEmpty
      self.tls = tls
      self.accessRules = accessRules
      self.configuration = configuration
    }
  }
}
