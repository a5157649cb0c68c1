import Foundation
import MQTT

/// Connects when 1,024 descriptors and more are open: `select` and `FD_SET` would write past their bits.
struct ManyDescriptors {
  let settings: Settings

  func run() throws {
    var limit = rlimit()
    #if canImport(Darwin)
      let kind = RLIMIT_NOFILE
    #else
      let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #endif
    getrlimit(kind, &limit)
    limit.rlim_cur = min(limit.rlim_max, 4_096)
    setrlimit(kind, &limit)
    let files = (0..<1_200).map { _ in open("/dev/null", O_RDONLY) }
    guard let last = files.last, last >= 1_200 else { fail("no 1,200 descriptors: raise the hard limit") }
    let connection = try Connection(settings.options())
    let listener = Listener()
    open(connection, listener)
    tell("socket", ProcessState().descriptors)
    try exchange(connection, listener)
    close(connection)
    tell("disconnects", listener.disconnects)
  }
}
