/// An option of a command.
struct Flag: Sendable {
  /// The name behind `--`.
  let name: String
  /// The letter behind `-`, if there is one.
  let letter: Character?
  /// What the help calls the argument; `nil` when there is none.
  let argument: String?
  /// What the option does, in one line; the help leaves it out when this is empty.
  let help: String
  /// What of the argument must not stay in the process list.
  let secret: Secret

  enum Secret: Sendable {
    case nothing
    case all
    /// The password of a url.
    case urlPassword
  }

  init(
    _ name: String, _ letter: Character? = nil, _ argument: String? = nil, _ secret: Secret = .nothing,
    help: String
  ) {
    self.name = name
    self.letter = letter
    self.argument = argument
    self.secret = secret
    self.help = help
  }

  /// `--help`, which every command has; `-h` is the host.
  static let help = Flag("help", help: "show this help")
}
