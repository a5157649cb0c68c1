import Brokers
import Foundation
import Fuzzing
import MQTT
import Signals

/// One broker that sends damaged packets, and a connection that lives through them and then works with it when it has
/// come to its senses.
struct Part {
  /// How many damaged packets the client has to read.
  static let packets = 500
  private static let patience = Duration.seconds(60)

  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  let seed: UInt64

  func run() async throws -> Tally.Count {
    let tally = Tally(goal: Self.packets)
    let fences = Fences()
    let broker = try ScriptedBroker(patience: Self.patience) { link in
      tally.add { $0.links += 1 }
      if tally.isComplete { return try recover(link) }
      var attack = Attack(link, seed: seed, tally, fences)
      try attack.run()
    }
    var dice = Dice(seed: seed)
    let client = FuzzedClient(seed: dice.next(), tally, fences)
    let options = options(broker, using: &dice)
    var connection = try client.connect(options)
    do {
      let deadline = ContinuousClock.now + Self.patience
      while try !isRecovered(client, tally, broker) {
        // A refusal for good is one, however damaged the packet was.
        if client.isClosed { connection = try client.connect(options) }
        guard ContinuousClock.now < deadline else {
          let state =
            "\(client.description), open calls: \(tally.openCalls), \(tally.count), \(connection.metrics)"
          throw Failure(description: "the client hangs, or does not work with a sane broker: \(state)")
        }
        try await Task.sleep(for: .milliseconds(1))
      }
      await connection.close(deadline: .seconds(30))
      guard tally.openCalls == 0 else { throw Failure(description: "\(tally.openCalls) calls never ended") }
      try check(tally, broker)
    } catch {
      await connection.close(deadline: .zero)
      await broker.stop()
      throw error
    }
    await broker.stop()
    return tally.count
  }

  private func check(_ tally: Tally, _ broker: ScriptedBroker) throws {
    if let failure = tally.failure { throw Failure(description: failure) }
    if let failure = broker.failure { throw failure }
  }

  private func isRecovered(_ client: FuzzedClient, _ tally: Tally, _ broker: ScriptedBroker) throws -> Bool {
    try check(tally, broker)
    guard tally.isComplete else { return false }
    client.recover()
    return client.isRecovered
  }

  private func options(_ broker: ScriptedBroker, using dice: inout Dice) -> ConnectionOptions {
    var options = ConnectionOptions(host: "127.0.0.1", port: Int(broker.port))
    options.version = dice.chance(60) ? .v5 : .v311
    options.backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(1))
    options.connectDeadline = Self.patience
    options.acknowledgementDeadline = Self.patience
    options.clientID = "fuzz"
    options.keepAlive = .seconds(dice.pick([5, 60, 65_535]))
    if dice.chance(30) { options.sessionExpiry = .seconds(60) }
    if dice.chance(30) {
      options.cleanStart = false
    } else if options.sessionExpiry == .zero, dice.chance(30) {
      options.clientID = ""
    }
    options.window = dice.pick([1, 2, 50])
    options.receiveMaximum = dice.pick([1, 200, 200, 65_535])
    if dice.chance(30) { options.maximumPacketSize = 4_096 }
    options.inboxLimits.count = dice.pick([1, 10, 10_000])
    if dice.chance(20) {
      options.logLevel = .debug
      options.log = { _, _ in }
    }
    return options
  }

  /// A broker without faults.
  private func recover(_ link: ScriptedBroker.Link) throws {
    try link.serve { packet in
      guard case .subscribe(let subscribe) = packet, let filter = subscribe.filters.first else {
        return false
      }
      try? link.send(.suback(subscribe.id, subscribe.filters.map { _ in .granted(1) }))
      if filter.name == FuzzedClient.lastTopic {
        try? link.send(.publish(filter.name, "well", qos: 1, id: 1))
      }
      return true
    }
  }
}
