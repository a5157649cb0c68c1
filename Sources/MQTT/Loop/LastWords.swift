#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Keeps what a broker has sent over TLS readable when libmosquitto closes the link because it could not write.
///
/// A broker that refuses a client certificate may reset the link before this side has written anything, and its reason
/// is then still in the socket: so the session is counted once more, and the socket is held open.
struct LastWords: ~Copyable {
  private let openSSL: OpenSSL
  private let session: OpaquePointer
  private let descriptor: Int32

  init?(_ openSSL: OpenSSL, _ session: OpaquePointer, _ socket: Int32) {
    descriptor = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0, openSSL.retain(session) == 1 else {
      if descriptor >= 0 { close(descriptor) }
      return nil
    }
    self.openSSL = openSSL
    self.session = session
  }

  deinit {
    openSSL.release(session)
    close(descriptor)
  }

  /// The session, to be read from; only after the library has let go of it.
  func reopened() -> OpaquePointer? {
    openSSL.setSocket(session, descriptor) == 1 ? session : nil
  }
}
