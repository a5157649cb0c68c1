import Foundation
import SignalBox

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
      Flag("title", nil, "TEXT", help: "what people call the job (the command's name)"),
      Flag("parser", nil, "NAME", help: "auto, steps ([n/m]), percent (NN%) or none (auto)"),
      Flag("flush", nil, "SECONDS", help: "how long to wait for the broker at the end (2)"),
    ] + ConnectionFlags.flags
  static let endsAtOperand = true

  static func run(_ arguments: Arguments) async throws -> Int32 {
    guard let topic = arguments["job"] else { throw UsageError("--job TOPIC is missing") }
    // All that can be refused is refused before the command runs.
    do {
      _ = try JobTopic(topic)
    } catch {
      throw UsageError("--job: \(error)")
    }
    guard let program = arguments.rawOperands.first.map({ String(cString: $0) }) else {
      throw UsageError("the command is missing: put it behind --")
    }
    let name = arguments["parser"] ?? "auto"
    guard let parser = ParserChoice(name) else {
      throw UsageError("--parser \(name): not one of auto, steps, percent and none")
    }
    let flush = Duration.seconds(try arguments.number("flush", in: 0...3600) ?? 2)
    let bus = try Bus(try ConnectionFlags(arguments).options)
    // The arguments of a command may hold secrets: only its name is published.
    let title = arguments["title"] ?? URL(fileURLWithPath: program).lastPathComponent
    let begin = { try bus.job(topic, title: title) }

    let code: Int32
    let job: Job<Never>
    do {
      // The child first: what connecting does to this process (libmosquitto ignores SIGPIPE) is none of its business.
      let child = try ChildProcess.launch(arguments.rawOperands, parser: parser)
      job = try begin()
      code = await child.end { [job] in job.report(ProgressUpdate($0)) }
      job.end(code == 0 ? .done(exit: 0) : .failed(reason(code), exit: Int(code)))
    } catch let error as LaunchError {
      diagnose("\(error)")
      code = error.exitCode
      job = try begin()
      job.end(.failed("\(error)", exit: Int(code)))
    }
    do {
      try await job.flush(deadline: flush)
    } catch {
      diagnose("run: the end of \"\(topic)\" was not published: \(error)")
    }
    return code
  }

  private static func reason(_ code: Int32) -> String {
    code > 128 ? "ended by signal \(code - 128)" : "exit status \(code)"
  }
}

extension ProgressUpdate {
  init(_ parsed: ParsedProgress) {
    switch parsed {
    case .steps(let done, let total): self.init(done: Double(done), total: Double(total), unit: "steps")
    case .percent(let percent): self.init(fraction: percent / 100)
    }
  }
}
