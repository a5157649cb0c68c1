import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A descriptor that a sleeping `poll` can be woken with, from any thread: an eventfd, or a pipe on Darwin.
final class Wakeup: Sendable {
  let descriptor: Int32
  private let writeEnd: Int32

  init() throws(ConnectionError) {
    #if canImport(Darwin)
      var ends: [Int32] = [-1, -1]
      guard pipe(&ends) == 0 else { throw .invalid("no pipe for the wake-up: \(systemError(errno))") }
      for end in ends {
        _ = fcntl(end, F_SETFL, O_NONBLOCK)
        _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      }
      (descriptor, writeEnd) = (ends[0], ends[1])
    #else
      descriptor = signalbox_eventfd()
      guard descriptor >= 0 else { throw .invalid("no eventfd for the wake-up: \(systemError(errno))") }
      writeEnd = descriptor
    #endif
  }

  deinit {
    close(descriptor)
    if writeEnd != descriptor { close(writeEnd) }
  }

  /// Makes the descriptor readable. A full counter or pipe is readable already.
  func signal() {
    var one: UInt64 = 1
    _ = write(writeEnd, &one, 8)
  }

  /// Makes the descriptor unreadable again.
  func clear() {
    var buffer: (UInt64, UInt64, UInt64, UInt64) = (0, 0, 0, 0)
    withUnsafeMutableBytes(of: &buffer) { bytes in
      while read(descriptor, bytes.baseAddress, bytes.count) == bytes.count {}
    }
  }
}

/// The system's words for an error number.
func systemError(_ number: Int32) -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  return buffer.withUnsafeMutableBufferPointer { buffer in
    let code = strerror_r(number, buffer.baseAddress!, buffer.count)
    return code == 0 ? String(cString: buffer.baseAddress!) : "error \(number)"
  }
}
