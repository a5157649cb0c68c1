#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// What the process has used of the processors: user and system, all threads.
enum CPUClock {
  /// Seconds since the start of the process.
  static var seconds: Double {
    var usage = rusage()
    getrusage(ownProcess, &usage)
    return seconds(usage.ru_utime) + seconds(usage.ru_stime)
  }

  /// How many seconds `body` uses.
  static func seconds(of body: () -> Void) -> Double {
    let start = seconds
    body()
    return seconds - start
  }

  /// RUSAGE_SELF, which Swift imports with another type on each platform.
  private static let ownProcess: Int32 = 0

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }
}
