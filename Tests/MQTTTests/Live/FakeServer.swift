import Foundation
import Signals

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Listens at a loopback port and answers the first bytes of each client with bytes from a script.
final class FakeServer: Sendable {
  struct Failure: Error {}

  let port: Int
  private let descriptor: Int32
  private let accepted = Lock<[Int32]>([])

  /// `answer` gets the number of the client, from 0.
  init(answer: @escaping @Sendable (Int) -> [UInt8]) throws {
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
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { return }
        self?.accepted.withLock { $0.append(client) }
        var buffer = [UInt8](repeating: 0, count: 1_024)
        guard recv(client, &buffer, buffer.count, 0) > 0 else { continue }
        let bytes = answer(number)
        number += 1
        _ = send(client, bytes, bytes.count, 0)
      }
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
    for client in accepted.withLock({ $0 }) { close(client) }
  }
}
