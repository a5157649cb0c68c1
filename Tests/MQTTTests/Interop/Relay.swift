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
