import Brokers
import Foundation

/// A foreign client at a scripted broker, with its output.
final class Client: Sendable {
  private let program: ChildProgram
  private let output = Guarded<[UInt8]>([])

  init(_ name: String, _ broker: ScriptedBroker, _ arguments: [String]) throws {
    let place: [String]
    if broker.port == 0 {
      place = ["--unix", String(broker.url.dropFirst("unix://".count))]
    } else {
      place = ["-h", "127.0.0.1", "-p", "\(broker.port)"]
    }
    program = try ChildProgram([name] + place + arguments) { [output] bytes in output.withLock { $0 += bytes }
    }
  }

  var status: Int32 { get async { await program.status } }

  var lines: [String] {
    String(decoding: output.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
  }

  func kill() { program.signal(SIGKILL) }

  static func publish(_ broker: ScriptedBroker, _ arguments: String...) throws -> Client {
    try Client("mosquitto_pub", broker, arguments)
  }

  static func subscribe(_ broker: ScriptedBroker, _ arguments: String...) throws -> Client {
    try Client("mosquitto_sub", broker, arguments)
  }
}

/// A client that sends what it is told, byte for byte.
final class RawClient {
  private let descriptor: Int32

  /// Nil when nobody listens.
  init?(_ broker: ScriptedBroker) {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      // A child of a test beside this one would hold the connection open.
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = broker.port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    // The object exists from here on, so that it is its deinit that closes.
    guard code == 0 else { return nil }
  }

  deinit { close(descriptor) }

  func send(_ packets: Packet..., version: Packet.Version = .v5) throws {
    for packet in packets { send(bytes: try packet.encoded(for: version)) }
  }

  func send(bytes: [UInt8]) {
    #if canImport(Darwin)
      let flags: Int32 = 0
    #else
      let flags = Int32(MSG_NOSIGNAL)
    #endif
    _ = Foundation.send(descriptor, bytes, bytes.count, flags)
  }

  /// What comes next; empty at the end of the connection, nil when it was reset or nothing came.
  func receive(_ most: Int = 1 << 16) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: most)
    let count = recv(descriptor, &buffer, most, 0)
    return count < 0 ? nil : Array(buffer[..<count])
  }

  /// All bytes until the end of the connection.
  func receiveAll() -> [UInt8] {
    var all: [UInt8] = []
    while let bytes = receive(), !bytes.isEmpty { all += bytes }
    return all
  }

  func finishSending() {
    #if canImport(Darwin)
      shutdown(descriptor, SHUT_WR)
    #else
      shutdown(descriptor, Int32(SHUT_WR))
    #endif
  }

  func reset() {
    var linger = linger(l_onoff: 1, l_linger: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
  }
}
