import Brokers
import Foundation
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Values, readings and progress as a program asks for them, from a real broker.
@Suite(.timeLimit(.minutes(5))) struct ValuesTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a field of JSON is a signal; what a message does not have is skipped, what is wrong is a problem`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let problems = Recorder(bus.problems)
      let recorder = Recorder(bus.signal("zigbee2mqtt/+", at: "/temperature", as: Double.self))
      try await settled(bus)
      for json in [
        #"{"temperature":21.5}"#, #"{"battery":90}"#, #"{"temperature":null}"#, #"{"temperature":[]}"#,
        #"{"temperature":"22"}"#,
      ] {
        try await Peer.publish(broker, "-t", "zigbee2mqtt/kitchen", "-m", json)
      }
      try await eventually { recorder.values == [21.5, 22] }
      #expect(
        problems.log == [
          #"next("zigbee2mqtt/kitchen": a list is no number at "/temperature")"#
        ])
      #expect(problems.values.first?.payloadStart == Array(#"{"temperature":[]}"#.utf8))
    }
  }

  @Test func `a reading knows its topic and what the wildcards stood for`() async throws {
    try await withBroker { broker, bus in
      try await Peer.publish(broker, "-t", "home/attic/climate/now", "-r", "-m", #"{"t":"9"}"#)
      let whole = Recorder(bus.readings("home/+/climate/#", as: [String: String].self))
      let fields = Recorder(bus.readings("home/+/climate/#", at: "/t", as: Double.self))
      let own = Recorder(bus.readings("home/+/climate/#") { $0.payload.count })
      try await eventually { whole.values.count == 1 && fields.values.count == 1 && own.values.count == 1 }
      let filter = try TopicFilter("home/+/climate/#")
      #expect(
        fields.values == [
          Reading(9, topic: "home/attic/climate/now", filter: filter, origin: .stored, isRetained: true)
        ])
      #expect(fields.values.first?.captures == ["attic", "now"])
      #expect(whole.values.first?.value == ["t": "9"])
      #expect(own.values.first?.value == 9)
      #expect(broker.packets("SUBSCRIBE") == 1)
    }
  }

  private struct Odd: Error {
    let text = "two\nlines"
  }

  @Test func `a decoder of one's own skips what it likes, and what it throws is a problem in one line`()
    async throws
  {
    try await withBroker { broker, bus in
      let problems = Recorder(bus.problems)
      let recorder = Recorder(
        bus.signal("t/#") { message -> Int? in
          switch message.payload.first {
          case UInt8(ascii: "x"): return nil
          case UInt8(ascii: "!"): throw Odd()
          case UInt8(ascii: "{"):
            return try JSONDecoder().decode([String: Int].self, from: Data(message.payload))["n"]
          default: return message.payload.count
          }
        })
      try await settled(bus)
      for text in ["abc", "x", "!", #"{"n":"#, #"{"n":7}"#] {
        try await Peer.publish(broker, "-t", "t", "-m", text)
      }
      try await Peer.publish(broker, "-t", "t", "-n")
      try await Peer.publish(broker, "-t", "t/_state", "-m", "running")
      try await Peer.publish(broker, "-t", "t", "-m", "end!")
      try await eventually { recorder.values == [3, 7, 4] }
      #expect(problems.values.map(\.reason) == [#"Odd(text: "two\nlines")"#, #""{"n":" is not JSON"#])
    }
  }

  @Test func `on request a bad payload fails the signal, in words that name the topic`() async throws {
    try await withBroker { broker, bus in
      let problems = Recorder(bus.problems)
      let strict = Recorder(bus.signal("t/+", as: Int.self, onBadPayload: .fail))
      let lenient = Recorder(bus.signal("t/+", as: Int.self))
      try await settled(bus)
      for text in ["1", "one", "2"] { try await Peer.publish(broker, "-t", "t/a", "-m", text) }
      try await eventually { lenient.values == [1, 2] }
      #expect(strict.log.first == "next(1)")
      #expect(strict.log.last?.hasPrefix(#"failed("t/a": "one" is no Int)"#) == true)
      #expect(strict.log.count == 2)
      // Only the lenient one's.
      #expect(problems.values.count == 1)
    }
  }

  @Test func `of two observers each says what it wanted`() async throws {
    try await withBroker { broker, bus in
      let problems = Recorder(bus.problems)
      let numbers = Recorder(bus.signal("t", as: Double.self))
      let flags = Recorder(bus.signal("t", as: Bool.self))
      try await settled(bus)
      for text in ["warm", "1"] { try await Peer.publish(broker, "-t", "t", "-m", text) }
      try await eventually { numbers.values == [1] && flags.values == [true] }
      #expect(
        Set(problems.values.map(\.description)) == [
          #""t": "warm" is no number"#, #""t": "warm" is no Bool: true or false, on or off, 1 or 0"#,
        ])
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `progress comes beside the values where it was asked for`(version: ProtocolVersion) async throws {
    try await withBroker(version: version) { broker, bus in
      let problems = Recorder(bus.problems)
      let plain = Recorder(bus.signal("jobs/+", as: Int.self))
      let both = Recorder(bus.signal("jobs/+", as: Int.self, progress: .included))
      try await settled(bus)
      let steps = [
        ("jobs/a", "1"), ("jobs/a/_progress", "40%"), ("jobs/a/_progress", "soon"),
        ("jobs/a/_progress", #"{"percent":50,"msg":"half"}"#), ("jobs/a", "2"),
      ]
      for (topic, text) in steps { try await Peer.publish(broker, "-t", topic, "-m", text) }
      try await eventually { plain.values == [1, 2] && both.values == [1, 2] }
      #expect(both.log == ["next(1)", "progress(40%)", "progress(50% half)", "next(2)"])
      #expect(plain.progress.isEmpty)
      #expect(problems.values.map(\.topic) == ["jobs/a/_progress"])
      // Both broker subscriptions go with the last observer.
      both.subscription.dispose()
      plain.subscription.dispose()
      try await settled(bus)
    }
  }

  @Test func `the end of the bus ends a signal with progress once`() async throws {
    try await withBroker { broker, bus in
      let both = Recorder(bus.signal("jobs/a", as: Int.self, progress: .included))
      try await settled(bus)
      await bus.close()
      #expect(both.log == ["completed"])
    }
  }

  @Test func `what can't be had fails in words, and never reaches the broker`() async throws {
    try await withBroker { broker, bus in
      #expect(
        Recorder(bus.signal("a/#", as: Int.self, progress: .included)).log == [
          #"failed(filter "a/#" can't include progress, since it ends in #: end it in + or a name, or leave progress out)"#
        ])
      #expect(
        Recorder(bus.readings("a", at: "t", as: Int.self)).log == [
          #"failed("t" is no JSON pointer: it begins with a slash: "/t")"#
        ])
      #expect(Recorder(bus.signal("a#") { $0.payload }).hasEnded)
      #expect(Recorder(bus.signal("")).log == ["failed(a filter is empty: it needs at least one character)"])
      let error = #expect(throws: TopicError.self) { try bus.subject(to: "", as: Int.self) }
      #expect(error?.description == "a topic is empty: it needs at least one character")
      #expect(broker.packets("CONNECT") == 0)
    }
  }
}
