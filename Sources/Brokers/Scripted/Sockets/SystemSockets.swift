import Foundation

// What Linux and Darwin spell differently.

#if canImport(Darwin)
  private let streamType = SOCK_STREAM
  let sendFlags: Int32 = 0
  let shutWrite = SHUT_WR
  let shutBoth = SHUT_RDWR
  /// With any events Darwin reports that the other side has ended.
  let peerEnded = POLLHUP
#else
  private let streamType = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
  let sendFlags = Int32(MSG_NOSIGNAL)
  let shutWrite = Int32(SHUT_WR)
  let shutBoth = Int32(SHUT_RDWR)
  /// POLLRDHUP of <poll.h>, which hides it without _GNU_SOURCE.
  let peerEnded: Int32 = 0x2000
#endif

/// A stream socket that no child inherits, or a negative number.
func streamSocket(_ family: Int32) -> Int32 {
  let made = socket(family, streamType, 0)
  return made < 0 ? made : unblocked(aboveStandardStreams(made))
}

/// A client of a listening socket, that no child inherits; a negative number when there is none.
func acceptedSocket(_ listener: Int32) -> Int32 {
  let accepted = accept(listener, nil, nil)
  guard accepted >= 0 else { return accepted }
  let client = unblocked(aboveStandardStreams(accepted))
  // A script decides what is in a segment, not Nagle; fails without harm on a Unix domain socket.
  setOption(client, Int32(IPPROTO_TCP), TCP_NODELAY, Int32(1))
  return client
}

/// Has the system reset the connection, also when a child has a copy of the socket; only `close` does it on Darwin,
/// and no child there has one.
func resetConnection(_ socket: Int32) {
  #if os(Linux)
    var nowhere = sockaddr()
    nowhere.sa_family = sa_family_t(AF_UNSPEC)
    _ = connect(socket, &nowhere, socklen_t(MemoryLayout<sockaddr>.size))
  #endif
}

func setOption<Value>(_ socket: Int32, _ level: Int32, _ option: Int32, _ value: Value) {
  withUnsafeBytes(of: value) { bytes in
    _ = setsockopt(socket, level, option, bytes.baseAddress, socklen_t(bytes.count))
  }
}

private func unblocked(_ descriptor: Int32) -> Int32 {
  if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) }
  return descriptor
}
