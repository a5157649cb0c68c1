import Brokers
import Foundation

/// One client of a ``CuttingProxy``, and its own connection to the broker. A thread carries the bytes of both ways.
final class ProxiedLink: Sendable {
  /// The client's and the broker's.
  private let ends: [Int32]
  private let cut: CuttingProxy.Cut?
  private let sieve: PacketSieve?
  private let isClosed = Guarded(false)

  init?(_ client: Int32, to port: UInt16, cut: CuttingProxy.Cut?, _ sieve: PacketSieve?) {
    let broker = tcpSocket()
    var address = loopbackAddress(port: port)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(broker, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    ends = [client, broker]
    self.cut = cut
    self.sieve = sieve
    guard isConnected else {
      close(client)
      close(broker)
      return nil
    }
    for end in ends {
      var on: Int32 = 1
      setsockopt(end, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
      #if canImport(Darwin)
        setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
      #endif
    }
    Thread.detachNewThread { [self] in
      carry()
      end()
    }
  }

  var hasEnded: Bool { isClosed.withLock { $0 } }

  /// Has the thread end; an end that it has closed may be another file's by now.
  func stop() {
    isClosed.withLock { isClosed in
      guard !isClosed else { return }
      for end in ends { shutdown(end, Int32(SHUT_RDWR)) }
    }
  }

  private func end() {
    isClosed.withLock { isClosed in
      isClosed = true
      for end in ends {
        // Closing alone does nothing while a child process that was started meanwhile has the descriptor, too.
        if cut?.resets == true { reset(end) } else { shutdown(end, Int32(SHUT_RDWR)) }
        close(end)
      }
    }
  }

  private func reset(_ end: Int32) {
    #if canImport(Darwin)
      var linger = linger(l_onoff: 1, l_linger: 0)
      setsockopt(end, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
    #else
      var nobody = sockaddr()
      nobody.sa_family = sa_family_t(AF_UNSPEC)
      connect(end, &nobody, socklen_t(MemoryLayout<sockaddr>.size))
    #endif
  }

  private func carry() {
    var left = cut?.bytes ?? .max
    var sieve = sieve
    var buffer = [UInt8](repeating: 0, count: 16_384)
    /// What is on its way to each end; nothing more is read for it before it has gone.
    var pending: [ArraySlice<UInt8>] = [[], []]
    while left > 0 || pending.contains(where: { !$0.isEmpty }) {
      var descriptors = ends.indices.map { index in
        let events =
          (left > 0 && pending[1 - index].isEmpty ? POLLIN : 0) | (pending[index].isEmpty ? 0 : POLLOUT)
        return pollfd(fd: ends[index], events: Int16(events), revents: 0)
      }
      guard poll(&descriptors, 2, -1) > 0 || errno == EINTR else { return }
      for (index, descriptor) in descriptors.enumerated() where descriptor.revents != 0 {
        if !pending[index].isEmpty {
          let count = pending[index].withUnsafeBytes { send(ends[index], $0.baseAddress, $0.count, dontWait) }
          if count < 0, errno != EAGAIN { return }
          pending[index].removeFirst(max(count, 0))
        } else if Int32(descriptor.events) & Int32(POLLIN) == 0 {
          // Nothing is wanted of it, so it can only be broken.
          return
        }
        guard Int32(descriptor.events) & Int32(POLLIN) != 0 else { continue }
        let count = recv(ends[index], &buffer, min(buffer.count, left), dontWait)
        if count < 0, errno == EAGAIN { continue }
        guard count > 0 else { return }
        left -= count
        let isBroker = index == 1
        pending[1 - index] = isBroker ? sieve?.sift(buffer[..<count]) ?? buffer[..<count] : buffer[..<count]
      }
    }
  }
}

#if canImport(Darwin)
  private let dontWait = MSG_DONTWAIT
#else
  private let dontWait = Int32(MSG_DONTWAIT | MSG_NOSIGNAL)
#endif

func tcpSocket() -> Int32 {
  #if canImport(Darwin)
    socket(AF_INET, SOCK_STREAM, 0)
  #else
    socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  #endif
}

func loopbackAddress(port: UInt16) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}
