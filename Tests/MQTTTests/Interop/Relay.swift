import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Stands between a connection and its broker, and cuts the link without a goodbye.
final class Relay: Sendable {
  private let server: FakeServer
  private let ends = Collector<FakeClient>()

  /// Where the connection connects to.
  var port: Int { server.port }

  /// Passes on whole packets to and from the broker at `port` of the loopback interface.
  init(to port: Int) throws {
    server = try FakeServer { [ends] client in
      guard let broker = FakeClient(connectingTo: port) else { return client.end() }
      ends.add(client)
      ends.add(broker)
      Thread.detachNewThread { Relay.pass(from: broker, to: client) }
      Relay.pass(from: client, to: broker)
    }
  }

  deinit { cut() }

  /// Closes all links as they are now.
  func cut() {
    for end in ends.values { end.end() }
  }

  private static func pass(from source: FakeClient, to target: FakeClient) {
    while let packet = source.receive() { target.send(packet.encoded) }
    target.end()
  }
}

extension FakeClient {
  fileprivate convenience init?(connectingTo port: Int) {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let isConnected = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    guard isConnected else {
      close(descriptor)
      return nil
    }
    self.init(descriptor, number: -1)
  }
}

extension FakeClient.Packet {
  fileprivate var encoded: [UInt8] {
    var bytes = [head]
    var length = body.count
    repeat {
      let rest = length >> 7
      bytes.append(UInt8(length & 127) | (rest > 0 ? 128 : 0))
      length = rest
    } while length > 0
    return bytes + body
  }
}
