import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Stands between a client and a broker and passes packets on, until it is told to cut them off.
final class PacketProxy: Sendable {
  private let server: FakeServer
  private let links = Collector<FakeClient>()

  var port: Int { server.port }

  /// Only the first `clients` are passed on; later ones are cut off at once. `passes` is asked about each packet of
  /// the broker, with the number of the client, and can keep the packet from the client.
  init(
    to port: Int, clients: Int = .max,
    passes: @escaping @Sendable (_ client: Int, FakeClient.Packet) -> Bool = { _, _ in true }
  ) throws {
    server = try FakeServer { [links] client in
      guard client.number < clients, let broker = FakeClient(connectingTo: port) else { return client.end() }
      links.add(client)
      links.add(broker)
      Thread.detachNewThread {
        while let packet = broker.receive() { if passes(client.number, packet) { client.send(packet.bytes) } }
        client.end()
      }
      while let packet = client.receive() { broker.send(packet.bytes) }
      broker.end()
    }
  }

  deinit { cut() }

  /// Ends all links as they are.
  func cut() {
    for link in links.values { link.end() }
  }
}

extension FakeClient.Packet {
  /// As it went over the wire.
  var bytes: [UInt8] {
    var bytes = [head]
    var length = body.count
    repeat {
      bytes.append(UInt8(length & 127) | (length > 127 ? 128 : 0))
      length >>= 7
    } while length > 0
    return bytes + body
  }
}

extension FakeClient {
  /// The other end of a new connection to a loopback port.
  convenience init?(connectingTo port: Int) {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard code == 0 else {
      close(descriptor)
      return nil
    }
    self.init(descriptor, number: 0)
  }
}
