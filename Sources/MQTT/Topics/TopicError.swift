/// Why a string is neither a topic nor a topic filter.
public enum TopicError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A topic is empty.
  case emptyTopic
  /// A filter is empty.
  case emptyFilter
  /// The string has more than 65,535 bytes of UTF-8 (MQTT 5, 1.5.4).
  case tooLong(bytes: Int)
  /// The string has more than 200 slashes; mosquitto drops the whole connection for one more.
  case tooManyLevels(Int)
  /// The string holds a character that brokers drop connections for: NUL, a control character or a
  /// Unicode non-character (MQTT 5, 1.5.4).
  case forbiddenCharacter(Unicode.Scalar)
  /// A topic to publish to holds `+` or `#`.
  case wildcardInTopic(String)
  /// A filter has `+` or `#` beside other characters of its level, or `#` before the last level.
  case misplacedWildcard(String)
  /// A filter begins with `$share` but is not `$share/group/filter`.
  case badSharedFilter(String)

  /// One line that names the fault and the mend.
  public var description: String {
    switch self {
    case .emptyTopic: "a topic is empty: it needs at least one character"
    case .emptyFilter: "a filter is empty: it needs at least one character"
    case .tooLong(let bytes):
      "a topic or filter has \(bytes) bytes of UTF-8: 65,535 are allowed"
    case .tooManyLevels(let count):
      "a topic or filter has \(count) levels: 201 are allowed"
    case .forbiddenCharacter(let scalar):
      "a topic or filter holds U+\(scalar.hexadecimal): leave control characters out"
    case .wildcardInTopic(let topic):
      "topic \"\(topic)\" holds a wildcard: + and # are for filters"
    case .misplacedWildcard(let filter):
      "filter \"\(filter)\" has a misplaced wildcard: + and # fill a whole level, and # only the last"
    case .badSharedFilter(let filter):
      "filter \"\(filter)\" is not of the form $share/group/filter, with a group that has no wildcard"
    }
  }
}
