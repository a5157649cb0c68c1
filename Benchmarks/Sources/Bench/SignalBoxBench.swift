/// `signalbox-bench [core] [mqtt] [bus] [--json] [--quick]`: see `scripts/bench`.
///
/// It also runs itself as one side of a measurement: see `Role`.
@main
enum SignalBoxBench {
  static func main() {
    do {
      if let role = try Role(CommandLine.arguments.dropFirst()) { return try role.play() }
      let options = try Options(CommandLine.arguments.dropFirst())
      let report = Report(isJSON: options.isJSON)
      for group in options.groups {
        switch group {
        case .core: try CoreGroup(duel: options.isQuick ? .quick : .thorough, report: report).run()
        case .bus: try BusGroup(isQuick: options.isQuick, report: report).run()
        case .mqtt: try MQTTGroup(isQuick: options.isQuick, report: report).run()
        }
      }
      report.finish()
    } catch {
      // 64: the command line is wrong (sysexits.h).
      Console.fail("\(error)", status: error is Options.Unknown ? 64 : 1)
    }
  }
}
