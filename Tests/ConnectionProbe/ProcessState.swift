import CProbe
import Foundation

/// What this process holds of the system.
struct ProcessState {
  /// Threads, this one too.
  let threads: Int
  /// Open descriptors.
  let descriptors: Int
  /// Bytes that malloc gave out.
  let heapBytes: Int

  init() {
    threads = Self.count("/proc/self/task")
    // The one that the listing itself needs is always there.
    descriptors = Self.count("/proc/self/fd")
    heapBytes = Int(probe_heap_bytes())
  }

  func tell(_ when: String) {
    ConnectionProbe.tell("threads.\(when)", threads)
    ConnectionProbe.tell("descriptors.\(when)", descriptors)
    ConnectionProbe.tell("heap.\(when)", heapBytes)
  }

  /// Whether a thread is here that ends with a connection or a broker.
  var hasOwnThreads: Bool { threads > 4 + ProcessInfo.processInfo.activeProcessorCount }

  private static func count(_ folder: String) -> Int {
    guard let directory = opendir(folder) else { fail("\(folder) can't be read") }
    defer { closedir(directory) }
    var count = -2
    while readdir(directory) != nil { count += 1 }
    return count
  }
}
