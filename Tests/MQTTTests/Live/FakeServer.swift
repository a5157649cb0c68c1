import Foundation
import Signals

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Listens at a loopback port and plays a script to each client, on a thread of its own.
final class FakeServer: Sendable {
  struct Failure: Error {}

  let port: Int
  private let descriptor: Int32
  private let clients = Lock<[FakeClient]>([])

  /// A client whose script has returned stays connected until the server goes.
  init(script: @escaping @Sendable (FakeClient) -> Void) throws {
    #if canImport(Darwin)
      descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 16) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    port = Int(UInt16(bigEndian: address.sin_port))
    guard isListening else { throw Failure() }
    Thread.detachNewThread { [weak self] in
      var number = 0
      while true {
        let socket = accept(descriptor, nil, nil)
        guard socket >= 0 else { return }
        let client = FakeClient(socket, number: number)
        number += 1
        self?.clients.withLock { $0.append(client) }
        Thread.detachNewThread { script(client) }
      }
    }
  }

  /// Answers the first packet of each client; `answer` gets the number of the client, from 0.
  convenience init(answer: @escaping @Sendable (Int) -> [UInt8]) throws {
    try self.init { client in
      if client.receive() != nil { client.send(answer(client.number)) }
    }
  }

  deinit {
    // Shutting down wakes the thread out of accept; closing would not.
    #if canImport(Darwin)
      shutdown(descriptor, SHUT_RDWR)
    #else
      shutdown(descriptor, Int32(SHUT_RDWR))
    #endif
    close(descriptor)
    for client in clients.withLock({ $0 }) { client.end() }
  }
}

/// One client of a ``FakeServer``, as the server sees it.
final class FakeClient: Sendable {
  struct Packet {
    var head: UInt8
    var body: [UInt8]

    /// The kind of packet: 3 is PUBLISH, 8 is SUBSCRIBE.
    var type: UInt8 { head >> 4 }

    /// The id of a packet that begins with it, such as SUBSCRIBE.
    var id: [UInt8] { Array(body.prefix(2)) }

    /// The id of a PUBLISH of QoS 1 or 2; nil for others.
    var publishID: Int? {
      guard type == 3, head & 0x06 != 0 else { return nil }
      let place = 2 + Int(body[0]) << 8 + Int(body[1])
      return Int(body[place]) << 8 + Int(body[place + 1])
    }
  }

  /// The CONNACK of a broker without limits, in MQTT 5.
  static let accept: [UInt8] = [0x20, 3, 0, 0, 0]

  /// From 0, in the order in which they connected.
  let number: Int
  private let descriptor: Lock<Int32>

  init(_ descriptor: Int32, number: Int) {
    self.descriptor = Lock(descriptor)
    self.number = number
    #if canImport(Darwin)
      var one: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
    #endif
  }

  /// The PUBACK for the message with this id.
  static func acknowledge(_ id: Int, _ reason: UInt8 = 0) -> [UInt8] {
    [0x40, 3, UInt8(id >> 8), UInt8(id & 0xFF), reason]
  }

  /// The next packet, whole; nil when the client is gone.
  func receive() -> Packet? {
    guard let head = read(1)?[0] else { return nil }
    var length = 0
    var shift = 0
    while true {
      guard let byte = read(1)?[0] else { return nil }
      length |= Int(byte & 127) << shift
      shift += 7
      if byte < 128 { break }
    }
    return read(length).map { Packet(head: head, body: $0) }
  }

  /// Reads the hello of a client with TLS, without its head.
  func hello() -> [UInt8]? {
    read(5).flatMap { read(Int($0[3]) << 8 + Int($0[4])) }
  }

  func send(_ bytes: [UInt8]) {
    let descriptor = descriptor.withLock { $0 }
    var rest = bytes[...]
    while !rest.isEmpty {
      #if canImport(Darwin)
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      let count = rest.withUnsafeBytes { Foundation.send(descriptor, $0.baseAddress, $0.count, flags) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Closes the connection; with unread data in the socket, or `resets`, by a reset.
  func end(resets: Bool = false) {
    descriptor.withLock { descriptor in
      guard descriptor >= 0 else { return }
      if resets {
        var linger = linger(l_onoff: 1, l_linger: 0)
        let size = socklen_t(MemoryLayout.size(ofValue: linger))
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, size)
      } else {
        // Wakes the script out of recv, which closing would not.
        #if canImport(Darwin)
          shutdown(descriptor, SHUT_RDWR)
        #else
          shutdown(descriptor, Int32(SHUT_RDWR))
        #endif
      }
      close(descriptor)
      descriptor = -1
    }
  }

  /// Closes the connection after all that was sent: a reset would take what the client has not read yet away from it.
  func endOrderly() {
    let descriptor = descriptor.withLock { $0 }
    #if canImport(Darwin)
      shutdown(descriptor, SHUT_WR)
    #else
      shutdown(descriptor, Int32(SHUT_WR))
    #endif
    while read(1) != nil {}
    end()
  }

  /// The next `count` bytes, whatever they are; nil when the client is gone.
  func read(_ count: Int) -> [UInt8]? {
    let descriptor = descriptor.withLock { $0 }
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let got = bytes.withUnsafeMutableBytes { recv(descriptor, $0.baseAddress! + filled, count - filled, 0) }
      guard got > 0 else { return nil }
      filled += got
    }
    return bytes
  }
}
