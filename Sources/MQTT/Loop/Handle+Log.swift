import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension ConnectionOptions {
  /// Whether anybody wants what libmosquitto says about each packet. No line of it holds a password.
  var wantsLibraryLines: Bool { log != nil && logLevel == .debug }
}

extension Handle {
  /// Has the library put its lines into ``lines``. It makes them, for each packet, only when there is somebody who
  /// takes them.
  func collectLines() {
    mosquitto_log_callback_set(mosquitto) { _, handle, _, line in
      // The library may look at the error of its last system call only after it has told what it did.
      let number = errno
      if let handle, let line {
        Unmanaged<Handle>.fromOpaque(handle).takeUnretainedValue().lines.append(String(cString: line))
      }
      errno = number
    }
  }
}
