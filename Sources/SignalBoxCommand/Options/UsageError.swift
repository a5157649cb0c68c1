/// Arguments that a command can't work with; the message names the argument and the mend.
struct UsageError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
