import Foundation

/// A TCP port of the loopback interface that nobody had a moment ago.
///
/// It lies below the ports that systems give to outgoing connections (32768 and up on Linux, 49152 and up on
/// macOS). From among those, a client that keeps trying while the broker is down could be given the broker's
/// own port: it would then connect to itself, and the broker could not come back.
package func freePort() -> UInt16 {
  while true {
    let port = UInt16.random(in: 20_000..<32_000)
    if isFree(port) { return port }
  }
}

private func isFree(_ port: UInt16) -> Bool {
  #if canImport(Darwin)
    let descriptor = socket(AF_INET, SOCK_STREAM, 0)
  #else
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  #endif
  // Without a socket to try, the broker's own attempt decides.
  guard descriptor >= 0 else { return true }
  defer { close(descriptor) }
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return withUnsafePointer(to: &address) {
    $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
