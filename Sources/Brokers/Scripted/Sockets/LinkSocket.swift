import Foundation

/// The socket of one client. Its calls wait in `poll`, so that a stop of the broker and deadlines end them.
///
/// Only the thread of the client's script touches it.
struct LinkSocket {
  enum Outcome: Equatable {
    case bytes(Int)
    /// The client has closed its side.
    case ended
    /// The connection is broken; the text says how.
    case broken(String)
    case stopped
    case timedOut
  }

  let descriptor: Int32
  let stop: StopSignal

  /// Reads what is there, and waits for it if nothing is.
  func read(into buffer: UnsafeMutableRawBufferPointer, until deadline: ContinuousClock.Instant?) -> Outcome {
    while true {
      switch stop.wait(for: descriptor, POLLIN, until: deadline) {
      case .stopped: return .stopped
      case .timedOut: return .timedOut
      case .ready: if let outcome = readNow(into: buffer) { return outcome }
      }
    }
  }

  /// Reads what is there; nil when nothing is.
  func readNow(into buffer: UnsafeMutableRawBufferPointer) -> Outcome? {
    let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
    if count > 0 { return .bytes(count) }
    if count == 0 { return .ended }
    return [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) ? nil : .broken(Self.words(errno))
  }

  /// Writes what the socket takes, and waits until it takes something.
  ///
  /// - Parameter onInput: called when there is something to read meanwhile; it returns whether to go on with that.
  func write(
    _ bytes: UnsafeRawBufferPointer, until deadline: ContinuousClock.Instant?, onInput: (() -> Bool)? = nil
  ) -> Outcome {
    var reads = onInput != nil
    while true {
      let count = send(descriptor, bytes.baseAddress, bytes.count, sendFlags)
      if count >= 0 { return .bytes(count) }
      guard [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) else { return .broken(Self.words(errno)) }
      switch stop.wait(for: descriptor, reads ? POLLIN | POLLOUT : POLLOUT, until: deadline) {
      case .stopped: return .stopped
      case .timedOut: return .timedOut
      case .ready: if reads, let onInput { reads = onInput() }
      }
    }
  }

  /// Waits, without reading, until the client has ended or the time is over.
  func waitForEnd(until deadline: ContinuousClock.Instant?) -> StopSignal.Wakening {
    stop.wait(for: descriptor, peerEnded, until: deadline)
  }

  /// Ends the connection after all that was sent. The socket is gone within a second.
  func close() {
    shutdown(descriptor, shutWrite)
    // With unread bytes in the socket the system would reset the link, and the client lose what was sent last.
    let deadline = ContinuousClock.now + .seconds(1)
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while case .bytes = buffer.withUnsafeMutableBytes({ read(into: $0, until: deadline) }) {}
    // A child that was started while the socket was accepted may have a copy of it.
    shutdown(descriptor, shutBoth)
    Foundation.close(descriptor)
  }

  /// Ends the connection with a reset, which may overtake what was sent last.
  func reset() {
    setOption(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    resetConnection(descriptor)
    Foundation.close(descriptor)
  }

  private static func words(_ number: Int32) -> String {
    number == ECONNRESET || number == EPIPE ? "reset the connection" : String(cString: strerror(number))
  }
}
