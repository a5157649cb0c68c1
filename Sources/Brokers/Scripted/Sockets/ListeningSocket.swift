import Foundation

/// A bound socket, at a loopback port or a path, that may listen.
struct ListeningSocket {
  let descriptor: Int32
  /// Zero for a path.
  let port: UInt16

  /// Binds a socket to `place`; clients are refused until it listens.
  init(_ place: ScriptedBroker.Place) throws {
    switch place {
    case .loopback(let port?): try self.init(port: port)
    case .loopback(nil): self = try Self.atFreePort()
    case .unix(let path): try self.init(path: path)
    }
  }

  private static func atFreePort() throws -> ListeningSocket {
    for _ in 0..<20 {
      // Somebody may take the port between our look and our bind.
      do { return try ListeningSocket(port: freePort()) } catch ScriptedBrokerError.portInUse {}
    }
    throw ScriptedBrokerError.system("20 ports in a row were taken")
  }

  private init(port: UInt16) throws {
    descriptor = try Self.makeSocket(AF_INET)
    self.port = port
    setOption(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    guard Self.bind(descriptor, &address) else {
      let error =
        errno == EADDRINUSE ? ScriptedBrokerError.portInUse(port) : .system("bind to port \(port)", errno)
      close(descriptor)
      throw error
    }
  }

  private init(path: String) throws {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    guard !path.isEmpty, path.utf8.count <= room else {
      throw ScriptedBrokerError.unusablePath(path, "it has \(path.utf8.count) bytes, and 1 to \(room) fit")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    descriptor = try Self.makeSocket(AF_UNIX)
    port = 0
    guard Self.bind(descriptor, &address) else {
      let reason = String(cString: strerror(errno))
      close(descriptor)
      throw ScriptedBrokerError.unusablePath(path, reason)
    }
  }

  private static func makeSocket(_ family: Int32) throws -> Int32 {
    let descriptor = streamSocket(family)
    guard descriptor >= 0 else { throw ScriptedBrokerError.system("socket", errno) }
    return descriptor
  }

  private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Bool {
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        Foundation.bind(descriptor, $0, socklen_t(MemoryLayout<Address>.size)) == 0
      }
    }
  }
}
