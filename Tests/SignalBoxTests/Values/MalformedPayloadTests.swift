import Brokers
import Fuzzing
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Payloads of every shape that anybody may publish.
private struct PayloadMaker {
  var dice: Dice

  private static let valid = #"{"a":{"b":[1,2.5,"x",null,true]},"name":"lamp","value":21.5}"#

  /// Whether it can be text.
  typealias Payload = (bytes: [UInt8], shape: Int)

  mutating func next() -> Payload {
    let shape = dice.roll(12)
    let bytes: [UInt8] =
      switch shape {
      case 0: Array(Self.valid.utf8.prefix(1 + dice.roll(Self.valid.utf8.count - 1)))
      case 1: nested(10_000)
      case 2: nested(1 + dice.roll(600))
      case 3: invalidText()
      case 4: Array(repeating: dice.pick([0, 0x20, 0x31, 0x5B, 0x22, 0xFF]), count: 1 << 20)
      case 5: dice.pick([[0], [0, 0, 0], Array("1\u{0}".utf8), Array("\u{0}{}".utf8)])
      case 6: Array(number().utf8)
      case 7: Array(#"{"value":\#(number()),"value":\#(number()),"a":{"b":1,"b":2}}"#.utf8)
      case 8: dice.bytes(1 + dice.roll(200))
      case 9: flipped()
      case 10: Array(dice.pick(["", " ", "\n", "null", "NaN", "[]", "{}", "\"\"", "on", "True", "-"]).utf8)
      default: Array(Self.valid.utf8)
      }
    return (bytes, shape)
  }

  private mutating func number() -> String {
    dice.pick([
      "1e999", "-1e999", "1e-999", "1e400", "0x10", "nan", "inf", "+1", "00", "1.", ".5", "1e", "--1",
      "9223372036854775808", "-129", "300", "1_000", "١٢", String(repeating: "9", count: 5_000), "1", "-0",
    ])
  }

  private mutating func nested(_ depth: Int) -> [UInt8] {
    let isList = dice.chance(50)
    let (open, close) = isList ? ("[", "]") : (#"{"a":"#, "}")
    let inner = isList ? "" : "1"
    // Half of them are never closed.
    let end = dice.chance(50) ? String(repeating: close, count: depth) : ""
    return Array((String(repeating: open, count: depth) + inner + end).utf8)
  }

  private mutating func invalidText() -> [UInt8] {
    let bad: [[UInt8]] = [
      [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
    ]
    return Array(#"{"name":""#.utf8) + dice.pick(bad) + Array(#"","value":1}"#.utf8)
  }

  private mutating func flipped() -> [UInt8] {
    var bytes = Array(Self.valid.utf8)
    for _ in 0...dice.roll(3) { bytes[dice.roll(bytes.count)] = UInt8(truncatingIfNeeded: dice.next()) }
    return bytes
  }
}

private struct Lamp: Codable, Sendable, Equatable {
  let name: String
  let value: Double
}

/// One typed signal, and what came of it.
private struct Reader {
  /// Under which topic its payloads are.
  let name: String
  /// What it certainly decodes.
  let sample: String
  /// The values, and whether the signal has ended.
  let state: @Sendable () -> (values: Int, hasEnded: Bool)
  let subscription: Subscription
  /// Whether it passes over what has nothing for it.
  var skips = false

  init<Value>(_ name: String, _ sample: String, _ signal: Signal<Value>, skips: Bool = false) {
    let counts = Guarded((values: 0, hasEnded: false))
    self.name = name
    self.sample = sample
    self.skips = skips
    subscription = signal.subscribe { _ in
      counts.withLock { $0.values += 1 }
    } failed: { _ in
      counts.withLock { $0.hasEnded = true }
    } completed: {
      counts.withLock { $0.hasEnded = true }
    }
    state = { counts.withLock { $0 } }
  }
}

@Suite(.timeLimit(.minutes(5))) struct MalformedPayloadTests {
  #if TSAN
    private static let count = 40
  #else
    private static let count = 200
  #endif

  private static func readers(_ bus: Bus) -> [Reader] {
    [
      Reader("double", "1.5", bus.signal("m/double", as: Double.self)),
      Reader("int8", "-7", bus.signal("m/int8", as: Int8.self)),
      Reader("uint64", "7", bus.signal("m/uint64", as: UInt64.self)),
      Reader("bool", "on", bus.signal("m/bool", as: Bool.self)),
      Reader("text", "x", bus.signal("m/text", as: String.self)),
      Reader("bytes", "x", bus.signal("m/bytes", as: [UInt8].self)),
      Reader("lamp", #"{"name":"x","value":1}"#, bus.signal("m/lamp", as: Lamp.self)),
      Reader("list", "[1]", bus.signal("m/list", as: [Double].self)),
      Reader("map", #"{"x":{}}"#, bus.signal("m/map", as: [String: [String: Int]].self)),
      Reader("reading", #"{"name":"x","value":1}"#, bus.readings("m/reading", as: Lamp.self)),
      Reader(
        "own", "x",
        bus.signal("m/own") { message throws -> Int in
          if message.payload.count != 1 { throw PayloadError("not one\nbyte") }
          return 1
        }),
      Reader("field", #"{"value":1}"#, bus.signal("m/field", at: "/value", as: Double.self), skips: true),
      Reader("deep", #"{"a":{"b":[1]}}"#, bus.signal("m/deep", at: "/a/b/0", as: Int?.self), skips: true),
    ]
  }

  @Test func `no payload ends a signal or harms another, and each that does not decode is told and counted`()
    async throws
  {
    var maker = PayloadMaker(dice: Dice(seed: .random(in: 0...UInt64.max)))
    let seed = maker.dice.seed
    try await LocalBroker.with(
      .init(configuration: ["max_queued_messages 0", "log_type none", "log_type information"])
    ) { broker in
      let (bus, sender) = (try Bus(.toward(broker)), try Bus(.toward(broker)))
      let problems = Recorder(bus.problems)
      let readers = Self.readers(bus)
      let raw = Guarded<[String: Int]>([:])
      let other = bus.signal("m/+").subscribe { message in
        raw.withLock { $0[message.topic, default: 0] += message.payload.isEmpty ? 0 : 1 }
      }
      for subscription in readers.map(\.subscription) + [other] { try await subscription.ready }
      var sent = 0
      for _ in 0..<Self.count {
        let payload = maker.next().bytes
        sent += payload.isEmpty ? 0 : 1
        let reader = readers[maker.dice.roll(readers.count)]
        try await sender.publish(Publish(Topic("m/\(reader.name)"), payload))
      }
      // What was acknowledged to the sender may still be on its way here.
      func areAllRead() -> Bool {
        let came = raw.withLock { $0 }
        let told = Dictionary(grouping: problems.values, by: \.topic).mapValues(\.count)
        return came.values.reduce(0, +) == sent
          && readers.allSatisfy { reader in
            let topic = "m/\(reader.name)"
            return reader.skips || reader.state().values + (told[topic] ?? 0) == came[topic] ?? 0
          }
      }
      try await eventually("not all was read, seed \(seed)") { areAllRead() }
      let before = readers.map { $0.state().values }
      sent += readers.count
      for reader in readers {
        try await sender.publish(Publish(Topic("m/\(reader.name)"), Array(reader.sample.utf8)))
      }
      try await eventually("not all was read, seed \(seed)") {
        areAllRead() && zip(readers, before).allSatisfy { $0.state().values > $1 }
      }
      let told = Dictionary(grouping: problems.values, by: \.topic).mapValues(\.count)
      for (reader, before) in zip(readers, before) {
        let (state, topic) = (reader.state(), "m/\(reader.name)")
        #expect(!state.hasEnded && state.values > before, "\(reader.name), seed \(seed)")
        let sum = state.values + (told[topic] ?? 0)
        let came = raw.withLock { $0[topic] ?? 0 }
        #expect(reader.skips ? sum <= came : sum == came, "\(reader.name): \(sum) of \(came), seed \(seed)")
      }
      #expect(bus.metrics.undecodable == problems.values.count, "seed \(seed)")
      for problem in problems.values {
        #expect(!problem.description.contains("\n") && problem.reason.utf8.count <= 800, "seed \(seed)")
        #expect(problem.payloadStart.count <= 64)
      }
      #expect(bus.metrics.connection.connects == 1)
      await bus.close()
      await sender.close()
    }
  }

  @Test func `each kind of bad payload is a problem of the signal that it came to`() async throws {
    let bad: [(name: String, payload: [UInt8])] = [
      ("double", Array("1e999".utf8)), ("double", Array("nan".utf8)), ("double", [0]),
      ("int8", Array("128".utf8)), ("bool", Array("yes".utf8)), ("text", [0xC0, 0x80]),
      ("lamp", Array(#"{"name":"x","value":1"#.utf8)), ("lamp", Array(#"{"name":"x","value":1e999}"#.utf8)),
      ("lamp", Array("{\"name\":\"\u{0}\",\"value\":1}".utf8) + [0]),
      ("lamp", Array(#"{"name":""#.utf8) + [0xFF] + Array(#"","value":1}"#.utf8)),
      ("list", Array(String(repeating: "[", count: 10_000).utf8)),
      ("list", Array((String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)).utf8)),
      (
        "map",
        Array(
          (String(repeating: #"{"x":"#, count: 10_000) + "1" + String(repeating: "}", count: 10_000)).utf8)
      ),
      ("field", Array(#"{"value":[]}"#.utf8)), ("field", Array(#"{"value":1e999}"#.utf8)),
      ("lamp", Array(repeating: 0x20, count: 1 << 20)), ("text", Array(repeating: 0xFF, count: 1 << 20)),
    ]
    try await withBroker { _, bus in
      let problems = Recorder(bus.problems)
      let readers = Self.readers(bus)
      for reader in readers { try await reader.subscription.ready }
      for (name, payload) in bad { try await bus.publish(Publish(Topic("m/\(name)"), payload)) }
      try await bus.publish(Publish(Topic("m/own"), "x"))
      let own = readers.first { $0.name == "own" }!
      try await eventually { own.state().values == 1 }
      #expect(problems.values.map(\.topic) == bad.map { "m/\($0.name)" })
      #expect(bus.metrics.undecodable == bad.count)
      #expect(readers.allSatisfy { $0.name == "own" || $0.state() == (0, false) })
    }
  }
}
