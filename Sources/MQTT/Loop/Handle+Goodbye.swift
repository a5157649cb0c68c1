import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Handle {
  /// Says goodbye and waits, for `patience` at most, until the broker has read it.
  ///
  /// The library closes the socket right after it wrote DISCONNECT. With unread data in the socket that resets the
  /// link, and the broker may lose the goodbye and publish the will; so a duplicate of the descriptor outlives it.
  func disconnect(patience: Duration) {
    let deadline = ContinuousClock.now + patience
    let link = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard link >= 0 else { return }
    defer { close(link) }
    mosquitto_disconnect(mosquitto)
    while write() == nil, ending == nil, socket >= 0 {
      guard wait(link, POLLOUT, until: deadline) else { return }
    }
    #if canImport(Darwin)
      shutdown(link, SHUT_WR)
    #else
      shutdown(link, Int32(SHUT_WR))
    #endif
    var buffer = [UInt8](repeating: 0, count: 16_384)
    while wait(link, POLLIN, until: deadline) {
      let count = recv(link, &buffer, buffer.count, 0)
      if count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR) { return }
    }
  }

  private func wait(_ descriptor: Int32, _ events: Int32, until deadline: ContinuousClock.Instant) -> Bool {
    while true {
      let left = ContinuousClock.now.duration(to: deadline).milliseconds
      guard left > 0 else { return false }
      var descriptors = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
      let count = poll(&descriptors, 1, left)
      if count > 0 { return true }
      if count < 0, errno != EINTR { return false }
    }
  }
}
