/// A user and a password to log in with.
///
/// The password is never printed: not by `description`, not by `dump`, not in an error.
public struct Credentials: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
  /// The user to log in as.
  public var user: String

  /// The password or token of ``user``, at most 65,535 bytes without NUL.
  public var password: String?

  /// Makes credentials.
  public init(user: String, password: String? = nil) {
    self.user = user
    self.password = password
  }

  /// The user, without the password.
  public var description: String { "user \(user)" }

  /// The user, without the password.
  public var customMirror: Mirror {
    Mirror(self, children: ["user": user], displayStyle: .struct)
  }

  /// What a broker could not be sent, without showing it.
  var problem: String? {
    if user.utf8.count > TopicText.maximumBytes || TopicText.firstForbidden(in: user) != nil {
      return "the user name holds a control character or more than 65,535 bytes"
    }
    if let password, password.utf8.contains(0) || password.utf8.count > TopicText.maximumBytes {
      return "the password holds NUL or more than 65,535 bytes"
    }
    return nil
  }

  /// Asks `closure`, and makes whatever it throws a ``ConnectionError``.
  static func ask(
    _ closure: @Sendable () async throws -> Credentials
  ) async -> Result<Credentials, ConnectionError> {
    do {
      let credentials = try await closure()
      if let problem = credentials.problem { return .failure(.credentialsUnavailable(problem)) }
      return .success(credentials)
    } catch {
      // Errors of this package are one line; those of others may be many.
      let lines = "\(error)".split(whereSeparator: \.isNewline)
      return .failure(.credentialsUnavailable(lines.joined(separator: " ")))
    }
  }
}
