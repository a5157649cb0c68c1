#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

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
      Console.complain("\(error)")
      // 64: the command line is wrong (sysexits.h).
      exit(error is Options.Unknown ? 64 : 1)
    }
  }
}
