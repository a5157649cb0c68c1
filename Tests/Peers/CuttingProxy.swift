import Brokers
import Foundation

/// Stands between a client and a broker and cuts the link again and again, in the middle of anything.
///
/// Each link may carry so many bytes, both ways together, and is then closed or reset on both sides. Links beyond the
/// last of those cuts are left alone, until ``cut()``. Packets of the broker can be kept from the client.
public final class CuttingProxy: Sendable {
  /// When and how one link ends.
  public struct Cut: Sendable {
    let bytes: Int
    let resets: Bool

    /// After so many bytes, by a reset or by an orderly end.
    public init(after bytes: Int, resets: Bool) {
      self.bytes = bytes
      self.resets = resets
    }
  }

  private struct State {
    var cuts: ArraySlice<Cut>
    var count = 0
    var done = 0
    var links: [ProxiedLink] = []
    var isStopped = false
  }

  /// Where clients connect, at 127.0.0.1.
  public let port: UInt16
  private let listener: Int32
  private let state: Guarded<State>

  /// Listens at a free port for clients of the broker at `target`, a port of 127.0.0.1.
  ///
  /// `passes` is asked about each packet of the broker, by the number of the link, from 0, and the packet's first byte.
  public init(
    to target: UInt16, cuts: [Cut] = [],
    passes: (@Sendable (_ link: Int, _ header: UInt8) -> Bool)? = nil
  ) throws {
    state = Guarded(State(cuts: cuts[...]))
    listener = tcpSocket()
    var address = loopbackAddress(port: 0)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        bind(descriptor, pointer, length) == 0 && listen(descriptor, 64) == 0
          && getsockname(descriptor, pointer, &length) == 0
      }
    }
    guard isListening else {
      close(descriptor)
      throw PeerFailure(program: "proxy", arguments: [String(cString: strerror(errno))])
    }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { [state] in
      while true {
        let client = accept(descriptor, nil, nil)
        guard client >= 0 else { break }
        state.withLock { state in
          guard !state.isStopped else { return _ = close(client) }
          let cut = state.cuts.popFirst()
          let number = state.count
          state.count += 1
          let sieve = passes.map { passes in PacketSieve { passes(number, $0) } }
          if let link = ProxiedLink(client, to: target, cut: cut, sieve) {
            state.links.removeAll { $0.hasEnded }
            state.links.append(link)
          }
          if cut != nil { state.done += 1 }
        }
      }
      close(descriptor)
    }
  }

  deinit { stop() }

  /// Ends all links as they are now.
  public func cut() {
    for link in state.withLock({ $0.links }) { link.stop() }
  }

  /// How many links have been, or are to be, cut.
  public var cuts: Int { state.withLock { $0.done } }

  /// Ends all links and takes no more.
  public func stop() {
    let (links, wasStopped) = state.withLock { state in
      defer { state.isStopped = true }
      return (state.links, state.isStopped)
    }
    // Shutting down wakes the thread out of accept; closing would not.
    if !wasStopped { shutdown(listener, Int32(SHUT_RDWR)) }
    for link in links { link.stop() }
  }
}
