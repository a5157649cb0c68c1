/// The exit codes of `signalbox`; `run` gives its command's own instead.
enum ExitCode {
  static let success: Int32 = 0
  static let failure: Int32 = 1
  static let usage: Int32 = 2
  static let brokerUnreachable: Int32 = 69
  static let interrupted: Int32 = 130
}
