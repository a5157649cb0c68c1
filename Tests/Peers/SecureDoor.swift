import Brokers
import Foundation

/// A TLS listener for one client in front of a broker without TLS: `openssl s_server`, which makes one record of all
/// that the broker sends at once. Unlike mosquitto, which makes one of each packet, and like brokers that gather them.
public final class SecureDoor: Sendable {
  /// Where the client connects, at 127.0.0.1.
  public let port: UInt16
  private let process: Process

  /// Shows `pair` to the client, and passes on what it says to the broker at `target`, a port of 127.0.0.1.
  public init(_ pair: Certificates.Pair, to target: UInt16) throws {
    port = freePort()
    let link = tcpSocket()
    let stream = FileHandle(fileDescriptor: link, closeOnDealloc: true)
    var address = loopbackAddress(port: target)
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(link, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { throw PeerFailure(program: "connect", arguments: ["\(target)"]) }
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-naccept", "1", "-quiet",
      "-cert", pair.file, "-key", pair.keyFile,
    ]
    process.standardInput = stream
    process.standardOutput = stream
    process.standardError = FileHandle.nullDevice
    try process.run()
    try stream.close()
  }

  deinit { process.terminate() }
}
