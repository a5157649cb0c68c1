import Foundation

/// A broker inside this process that plays a script for each client: for tests of what brokers do, may not do, and
/// do at the worst moment.
///
/// ```swift
/// let broker = try ScriptedBroker { link in
///   try link.accept()
///   let subscribe = try link.expectSubscribe(to: "a/#")
///   try link.send(.suback(subscribe.id, [.granted(1)]), .publish("a/b", "x", qos: 1, id: 7))
///   try link.expectPuback(7)
///   try link.expectDisconnect()
/// }
/// // Connect a client to broker.port, have it subscribe, close it.
/// try await broker.finish()  // Throws, say: link 0, step 4: expected PUBACK 7, got DISCONNECT
/// ```
///
/// Each client has a thread of its own, on which its script runs and blocks. The broker listens on the loopback
/// interface only, speaks MQTT 5 and 3.1.1 as each client asks for, and knows no TLS. It is gone after
/// ``finish(links:within:)`` or ``stop()``, and soon after its last reference is dropped.
public final class ScriptedBroker: Sendable {
  /// What happens to a client; what it throws, ``finish(links:within:)`` throws.
  ///
  /// The link is closed when the script returns.
  public typealias Script = @Sendable (_ link: Link) throws -> Void

  /// Where a broker listens.
  public enum Place: Sendable, Hashable {
    /// At 127.0.0.1; without a port a free one is chosen.
    case loopback(port: UInt16? = nil)
    /// At a path of the file system, where nothing may be yet.
    case unix(path: String)
  }

  /// What becomes of those who connect.
  public enum Reception: Sendable, Hashable {
    /// Each gets a script.
    case serving
    /// The system completes the connections, and nobody ever reads or answers.
    case ignoring
    /// The system refuses the connections, but the port stays taken.
    case refusing
  }

  /// A packet that a script received, in `serve` and `silence` too, but not in `flood` and `sink`.
  public struct Received: Sendable, Hashable {
    /// The number of the link, from 0.
    public let link: Int
    /// What came.
    public let packet: Packet
  }

  /// The TCP port at 127.0.0.1; 0 at a path.
  public let port: UInt16
  /// Where clients connect, such as `mqtt://127.0.0.1:21883` or `unix:///tmp/broker`.
  public let url: String

  private let place: Place
  private let core: ScriptCore
  private let door: Guarded<Door?>

  /// Opens a broker that plays the same script to every client; ``Link/number`` tells them apart.
  ///
  /// - Parameters:
  ///   - place: where it listens.
  ///   - reception: what becomes of those who connect; ``receive(_:)`` changes it.
  ///   - patience: how long each wait of a script lasts before it fails; ``Link/patience`` changes it.
  /// - Throws: `ScriptedBrokerError` when the port is taken, or the system has no sockets.
  public convenience init(
    at place: Place = .loopback(), reception: Reception = .serving, patience: Duration = .seconds(30),
    script: @escaping Script
  ) throws {
    try self.init(at: place, reception: reception, patience: patience, links: [script])
  }

  /// Opens a broker that plays the first script to the first client, and so on, and the last to all later ones.
  ///
  /// Without a script clients are served as by ``Link/serve(_:)``. The rest is as in the other initializer.
  public init(
    at place: Place = .loopback(), reception: Reception = .serving, patience: Duration = .seconds(30),
    links scripts: [Script]
  ) throws {
    core = try ScriptCore(scripts.isEmpty ? [{ try $0.serve() }] : scripts, patience: patience)
    let socket = try ListeningSocket(place)
    // From now on the place is this one, so that a port that was chosen stays.
    switch place {
    case .loopback:
      self.place = .loopback(port: socket.port)
      url = "mqtt://127.0.0.1:\(socket.port)"
    case .unix(let path):
      self.place = place
      url = "unix://\(path)"
    }
    port = socket.port
    door = Guarded(nil)
    do {
      try door.withLock { $0 = try Door(socket, reception, core) }
    } catch {
      discard(socket)
      throw error
    }
  }

  deinit {
    closeDoor()
    core.stop.give()
  }

  /// Changes what becomes of those who connect from now on; links that there are stay.
  ///
  /// Clients that were connected without a script (``Reception/ignoring``) get one with
  /// ``Reception/serving``, and a reset with ``Reception/refusing``.
  ///
  /// - Throws: `ScriptedBrokerError` when the broker is stopped, or the port was lost to another process.
  public func receive(_ reception: Reception) throws {
    try door.withLock { door in
      guard let old = door else { throw ScriptedBrokerError.stopped }
      guard old.reception != reception else { return }
      old.end()
      do {
        var socket = old.socket
        if reception == .refusing {
          // A listening socket can't be made deaf again.
          door = nil
          discard(old.socket)
          socket = try ListeningSocket(place)
        }
        door = try Door(socket, reception, core)
      } catch {
        door.map { discard($0.socket) }
        door = nil
        throw error
      }
    }
  }

  /// What the scripts received until now, on all links, in the order of its coming.
  public var received: [Received] { core.state.withLock { $0.received } }

  /// What the scripts received on one link until now.
  public func received(on link: Int) -> [Packet] { received.filter { $0.link == link }.map(\.packet) }

  /// How many clients came until now.
  public var linkCount: Int { core.state.withLock { $0.links } }

  /// The first failure of a script until now.
  public var failure: (any Error)? { core.state.withLock { $0.failure } }

  /// Waits until at least `count` packets of a kind were received, on all links together.
  ///
  /// - Returns: the packet that made the count full.
  /// - Throws: `ScriptedBrokerError.notReceived` after `limit`, the failure of a script, `CancellationError`.
  @discardableResult
  public func waitForPacket(
    _ kind: Packet.Kind, count: Int = 1, within limit: Duration = .seconds(30)
  ) async throws -> Packet {
    var found: [Received] = []
    let isFound = try await poll(until: .now + limit) {
      try Task.checkCancellation()
      found = received.filter { $0.packet.kind == kind }
      if found.count >= count { return true }
      if let failure { throw failure }
      return false
    }
    guard isFound else {
      throw ScriptedBrokerError.notReceived(kind, found.count, expected: count, within: limit)
    }
    return found[count - 1].packet
  }

  /// Waits until at least `links` clients came and all scripts have ended, and stops the broker.
  ///
  /// - Throws: the first failure of a script, without waiting for the others; `ScriptedBrokerError` when that
  ///   takes longer than `limit`.
  public func finish(links: Int = 1, within limit: Duration = .seconds(30)) async throws {
    await poll(until: .now + limit) { core.state.withLock { $0.isFinished(links) } }
    let problem = core.state.withLock { $0.problem(links, within: limit) }
    await stop()
    if let problem { throw problem }
  }

  /// Closes all links and stops listening. Returns when all threads have ended and all descriptors are closed.
  ///
  /// Waits of scripts end with `ScriptedBrokerError.stopped`, which is no failure; a script that blocks in code of
  /// its own keeps this call waiting. Does nothing the second time.
  public func stop() async {
    closeDoor()
    core.stop.give()
    await poll { core.state.withLock { $0.running == 0 } }
    core.stop.end()
  }

  private func closeDoor() {
    door.withLock { door in
      guard let old = door else { return }
      door = nil
      old.end()
      discard(old.socket)
    }
  }

  private func discard(_ socket: ListeningSocket) {
    close(socket.descriptor)
    if case .unix(let path) = place { unlink(path) }
  }
}
