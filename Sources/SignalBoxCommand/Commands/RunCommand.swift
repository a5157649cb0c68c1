import Foundation

/// `signalbox run`: a command, untouched, whose progress is published.
enum RunCommand: Command {
  static let name = "run"
  static let summary = "runs a command and publishes its progress"
  static let operands = "--job TOPIC -- COMMAND [ARGUMENT…]"
  static let examples = [
    (line: "signalbox run --job jobs/build -- ninja", purpose: "reads [3/7]"),
    (line: "signalbox run --job jobs/copy -- rsync -a --info=progress2 a/ b/", purpose: "reads 35%"),
    (line: "signalbox run --job jobs/night --parser none -- ./backup", purpose: "start and end only"),
  ]
  static let flags =
    [
      Flag("job", nil, "TOPIC", help: "the topic of the job (required)"),
      Flag("title", nil, "TEXT", help: "what people call the job"),
      Flag("parser", nil, "NAME", help: "auto, steps ([n/m]), percent (NN%) or none (auto)"),
    ] + ConnectionFlags.flags
  static let endsAtOperand = true

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard arguments["job"] != nil else { throw UsageError("--job TOPIC is missing") }
    guard !arguments.operands.isEmpty else { throw UsageError("the command is missing: put it behind --") }
    let name = arguments["parser"] ?? "auto"
    guard let parser = ParserChoice(name) else {
      throw UsageError("--parser \(name): not one of auto, steps, percent and none")
    }
    _ = try ConnectionFlags(arguments)
    do {
      let child = try ChildProcess.launch(arguments.operands, parser: parser)
      return await child.end { _ in }
    } catch {
      diagnose("\(error)")
      return error.exitCode
    }
  }
}
