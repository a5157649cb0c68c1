import Brokers
import Foundation
import Fuzzing
import MQTT
import Signals

/// A client at work on a connection that is under attack: with each link it subscribes and publishes, and it reads all
/// that comes.
final class FuzzedClient: ConnectionDelegate {
  static let lastTopic = "fuzz/last"

  private struct State {
    var dice: Dice
    var connection: Connection?
    var states: Subscription?
    var isClosed = false
    var isAsking = false
    var isRecovered = false
    var hasLastMessage = false
    var latest = ConnectionState.idle
  }

  private let state: Guarded<State>
  private let tally: Tally
  private let fences: Fences

  init(seed: UInt64, _ tally: Tally, _ fences: Fences) {
    state = Guarded(State(dice: Dice(seed: seed)))
    self.tally = tally
    self.fences = fences
  }

  var isClosed: Bool { state.withLock { $0.isClosed } }
  /// Whether everything has worked that a client does.
  var isRecovered: Bool { state.withLock { $0.isRecovered && $0.hasLastMessage } }

  /// What a failure tells about it.
  var description: String { state.withLock { "\($0.latest), asking: \($0.isAsking)" } }

  /// Makes a connection and opens it.
  func connect(_ options: ConnectionOptions) throws -> Connection {
    let connection = try Connection(options)
    let states = connection.states.subscribe { [weak self] state in
      self?.state.withLock {
        $0.latest = state
        guard case .closed(.some) = state else { return }
        $0.isClosed = true
        $0.isAsking = false
      }
    }
    state.withLock {
      $0.connection = connection
      $0.states = states
      $0.isClosed = false
    }
    connection.connect(delegate: self)
    return connection
  }

  // MARK: Work

  func connectionDidConnect(_ session: Session) {
    guard !tally.isComplete, let connection = state.withLock({ $0.connection }) else { return }
    var dice = state.withLock { state in Dice(seed: state.dice.next()) }
    if dice.chance(70) { subscribe(connection, using: &dice) }
    for _ in 0..<dice.roll(6) where tally.openCalls < 40 { publish(connection, using: &dice) }
    if dice.chance(30) { unsubscribe(connection) }
  }

  func connectionDidDisconnect(_ cause: ConnectionError?) {
    // What is told to people must hold whatever came.
    if let cause, cause.description.isEmpty { tally.fail("a link ended without a cause") }
  }

  func connectionDidReceive(_ message: Message) {
    tally.add { $0.messages += 1 }
    // Now and then too slow, so that another thread takes the loop over.
    if message.payload.count == 20, message.payload[0] == 0 { usleep(2_000) }
    // Whatever is wrong with the memory of a message shows when it is looked at.
    if "\(message)\(message.properties)".isEmpty || message.topic.isEmpty {
      tally.fail("a message without a topic")
    }
    if message.topic == Fences.topic, let problem = fences.see(message) { tally.fail(problem) }
    if message.topic == Self.lastTopic { state.withLock { $0.hasLastMessage = true } }
  }

  private func subscribe(_ connection: Connection, using dice: inout Dice) {
    let names = ["a/#", "+/b", "$share/g/x", "#", "ä"]
    let subscribes = names.prefix(1 + dice.roll(names.count)).compactMap { name in
      (try? TopicFilter(name)).map { Subscribe($0, qos: dice.chance(50) ? .atLeastOnce : .atMostOnce) }
    }
    let end = tally.begin("a subscribe")
    connection.subscribe(subscribes) { [tally] result in
      if case .success(let results) = result, results.count != subscribes.count {
        tally.fail("\(subscribes.count) filters got \(results.count) answers")
      }
      end()
    }
  }

  private func unsubscribe(_ connection: Connection) {
    let end = tally.begin("an unsubscribe")
    connection.unsubscribe([try? TopicFilter("a/#")].compactMap(\.self)) { _ in end() }
  }

  private func publish(_ connection: Connection, using dice: inout Dice) {
    guard let topic = try? Topic("from/client") else { return }
    let qos = dice.pick([QoS.atMostOnce, .atLeastOnce, .exactlyOnce])
    let properties = dice.chance(30) ? MessageProperties(contentType: "x", expiry: .seconds(60)) : .init()
    let publish = Publish(
      topic, dice.bytes(dice.roll(100)), qos: qos, conflates: dice.chance(10), properties: properties)
    let end = tally.begin("a publish")
    connection.publish(publish) { _ in end() }
  }

  // MARK: Afterwards

  /// Tries everything once, unless that is under way.
  func recover() {
    let connection = state.withLock { state in
      if state.isAsking || state.isRecovered || state.isClosed { return Connection?.none }
      state.isAsking = true
      return state.connection
    }
    guard let connection, let filter = try? TopicFilter(Self.lastTopic) else { return }
    connection.subscribe([Subscribe(filter)]) { [self] result in
      guard case .success([.granted(.atLeastOnce)]) = result else { return recovered(false) }
      publishLast([.atMostOnce, .atLeastOnce, .exactlyOnce])
    }
  }

  private func publishLast(_ levels: ArraySlice<QoS>) {
    guard let qos = levels.first else { return recovered(true) }
    guard let connection = state.withLock({ $0.connection }), let topic = try? Topic("last") else { return }
    connection.publish(Publish(topic, "x", qos: qos)) { [self] result in
      if result.isSuccess { publishLast(levels.dropFirst()) } else { recovered(false) }
    }
  }

  private func recovered(_ works: Bool) {
    state.withLock { state in
      state.isRecovered = works
      state.isAsking = false
    }
  }
}
