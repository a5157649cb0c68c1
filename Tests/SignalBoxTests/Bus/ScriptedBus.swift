import Brokers
import MQTT
import Peers
import SignalBox
import Signals

/// Runs a test with a broker that plays scripts and a bus towards it; what a script threw is thrown.
func withScript(
  _ version: ProtocolVersion = .v5, echo: Bool = true, linger: Duration = .zero,
  links scripts: [ScriptedBroker.Script],
  options change: (inout ConnectionOptions) -> Void = { _ in },
  isolation: isolated (any Actor)? = #isolation,
  _ body: (ScriptedBroker, Bus) async throws -> Void
) async throws {
  let broker = try ScriptedBroker(links: scripts)
  var options = ConnectionOptions(host: "127.0.0.1", port: Int(broker.port))
  options.version = version
  options.backoff = Backoff(initial: .milliseconds(2), maximum: .milliseconds(50))
  options.connectDeadline = .seconds(60)
  change(&options)
  let bus = try Bus(options, linger: linger, echo: echo)
  do {
    try await body(broker, bus)
  } catch {
    await bus.close(deadline: .zero)
    // What the script says is the better reason.
    throw broker.failure ?? error
  }
  await bus.close()
  try await broker.finish(links: broker.linkCount)
}

extension Packet.Subscribe {
  /// The number of the subscription.
  var identifier: UInt32? {
    for case .subscriptionIdentifier(let identifier) in properties { return identifier }
    return nil
  }

  var names: [String] { filters.map(\.name) }
}

extension ScriptedBroker {
  /// The SUBSCRIBEs of a link, or of all.
  func subscribes(on link: Int? = nil) -> [Packet.Subscribe] {
    received.compactMap { received in
      guard link ?? received.link == received.link, case .subscribe(let packet) = received.packet else {
        return nil
      }
      return packet
    }
  }

  /// The filters that were unsubscribed on a link, or on all.
  func unsubscribed(on link: Int? = nil) -> [String] {
    received.flatMap { received -> [String] in
      guard link ?? received.link == received.link, case .unsubscribe(let packet) = received.packet else {
        return []
      }
      return packet.filters
    }
  }
}

extension Message {
  var text: String { String(decoding: payload, as: UTF8.self) }
}
