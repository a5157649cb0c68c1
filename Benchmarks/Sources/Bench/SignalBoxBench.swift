/// `signalbox-bench [core] [--json] [--quick]`: see `scripts/bench`.
@main
enum SignalBoxBench {
  static func main() {
    do {
      let options = try Options(CommandLine.arguments.dropFirst())
      let report = Report(isJSON: options.isJSON)
      for group in options.groups {
        switch group {
        case .core: try CoreGroup(duel: options.isQuick ? .quick : .thorough, report: report).run()
        }
      }
      report.finish()
    } catch {
      // 64: the command line is wrong (sysexits.h).
      Console.fail("\(error)", status: error is Options.Unknown ? 64 : 1)
    }
  }
}
