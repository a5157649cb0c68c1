import Foundation

/// The command `signalbox`: finds the subcommand, and turns its outcome into an exit code.
@main
enum SignalBoxMain {
  static let version = "0.1.0"
  static var commands: [any Command.Type] {
    [
      DemoCommand.self, WatchCommand.self, RunCommand.self, ReportCommand.self, SubscribeCommand.self,
      PublishCommand.self, BrokerCommand.self,
    ]
  }

  static func main() async {
    exit(await run())
  }

  private static func run() async -> Int32 {
    let argv = (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] }
    let word = argv.count > 1 ? String(cString: argv[1]) : "--help"
    switch word {
    case "--help", "help":
      return argv.count > 1 ? show(help) : max(show(help), ExitCode.usage)
    case "--version":
      return show("signalbox \(version)\n")
    default:
      break
    }
    guard let command = commands.first(where: { $0.name == word }) else {
      diagnose("\(word): no such command: see signalbox --help")
      return ExitCode.usage
    }
    return await run(command, Array(argv.dropFirst()))
  }

  private static func run(
    _ command: any Command.Type, _ argv: [UnsafeMutablePointer<CChar>]
  ) async -> Int32 {
    do {
      let arguments = try Arguments(
        argv: argv, flags: command.flags + [.help], endsAtOperand: command.endsAtOperand)
      if arguments.has(Flag.help.name) { return show(command.help) }
      return try await command.run(arguments)
    } catch let error as UsageError {
      diagnose("\(command.name): \(error)")
      return ExitCode.usage
    } catch let error as Unreachable {
      diagnose("\(command.name): \(error)")
      return ExitCode.brokerUnreachable
    } catch {
      diagnose("\(command.name): \(error)")
      return ExitCode.failure
    }
  }

  private static func show(_ text: String) -> Int32 {
    do {
      _ = try Output.write(text)
      return ExitCode.success
    } catch {
      diagnose("\(error)")
      return ExitCode.failure
    }
  }

  private static var help: String {
    """
    signalbox bridges MQTT and programs: values, and progress beside them

    \(table(commands.map { ("signalbox \($0.name)", $0.summary) }))
      signalbox COMMAND --help shows examples and options.

    """
  }
}
