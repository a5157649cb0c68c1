import Brokers
import Foundation
import MQTT
import Peers
import Testing

/// No wait of a connection is a busy one: in ten seconds it makes tens of system calls, not thousands.
///
/// All calls of the process are counted; its main thread sleeps in one, reading a named pipe. A wait that takes turns
/// at once shows as many thousands, a `poll` that gives up every 10 ms as a thousand.
@Suite(.timeLimit(.minutes(3)), .enabled(if: Tools.strace, "strace is not installed, or not allowed"))
struct RestTests {
  private static let most = 100

  private func calls(_ probe: Probe) async throws -> SystemCalls {
    let pid = try #require(Int32(try await probe.fact("pid")))
    return try await SystemCalls.during(of: pid) { try await Task.sleep(for: .seconds(10)) }
  }

  @Test("An idle connection pings and does nothing else")
  func idle() async throws {
    try await LocalBroker.with { broker in
      let probe = try Probe("client", broker.url, ["keepAlive=5"])
      try await probe.fact("connected")
      let calls = try await calls(probe)
      #expect(calls.total < Self.most, "\(calls)")
      try await broker.waitForLog("Received PINGREQ")
    }
  }

  @Test("A connection that waits for its next attempt sleeps")
  func backOff() async throws {
    let broker = try await LocalBroker.start()
    await broker.stop()
    let probe = try Probe("client", broker.url, ["backoff=30000"])
    try await eventually("no back-off") { probe.values("state").contains { $0.hasPrefix("waiting") } }
    let calls = try await calls(probe)
    #expect(calls.total < Self.most, "\(calls)")
  }

  @Test("A connection that was refused for good has no thread left, and makes no call at all")
  func refused() async throws {
    try await LocalBroker.with(.init(users: ["alice": "wonderland"])) { broker in
      let probe = try Probe("client", broker.url)
      try await eventually("not refused") { probe.values("state").contains { $0.hasPrefix("closed") } }
      try await eventually("a thread lives on") {
        try await probe.report()
        return try probe.number("threads") == 1
      }
      let calls = try await calls(probe)
      // The one that strace found the main thread in.
      #expect(calls.total <= 2, "\(calls)")
    }
  }

  @Test("A broker that takes the link and never answers is waited for asleep")
  func silent() async throws {
    try await LocalBroker.with { broker in
      await broker.suspend()
      let probe = try Probe("client", broker.url, ["connectDeadline=4"])
      try await eventually("no attempt") { probe.values("state").contains { $0.hasPrefix("connecting") } }
      let calls = try await calls(probe)
      #expect(calls.total < Self.most, "\(calls)")
      #expect(probe.values("state").contains { $0.contains("no CONNACK from") })
      await broker.resume()
    }
  }

  @Test("An outbox that the socket does not take is waited for asleep")
  func fullSocket() async throws {
    try await LocalBroker.with { broker in
      let probe = try Probe("client", broker.url)
      try await probe.fact("connected")
      await broker.suspend()
      try probe.command("fill 500 100000")
      try await probe.fact("filled")
      try await settled(probe, "outbox")
      try #expect(probe.number("outbox") > 0, "the socket took it all")
      let calls = try await calls(probe)
      #expect(calls.total < Self.most, "\(calls)")
      await broker.resume()
      try await eventually("it is stuck") {
        try await probe.report()
        return try probe.number("outbox") == 0
      }
    }
  }

  @Test("A full inbox behind a blocked handler is waited for asleep")
  func fullInbox() async throws {
    try await LocalBroker.with { broker in
      let probe = try Probe("client", broker.url, ["inbox=10", "keepAlive=60"])
      try await flood(probe, broker)
      let calls = try await calls(probe)
      #expect(calls.total < Self.most, "\(calls)")
      try probe.command("release")
      try await eventually("it reads no more") {
        try await probe.report()
        return try probe.number("handled") == 300
      }
    }
  }

  @Test("A link that ends behind a full inbox does not keep the loop awake")
  func endBehindFullInbox() async throws {
    try await LocalBroker.with { broker in
      let probe = try Probe("client", broker.url, ["inbox=10", "keepAlive=60", "backoff=30000"])
      try await flood(probe, broker)
      await broker.kill()
      let calls = try await calls(probe)
      #expect(calls.total < Self.most, "\(calls)")
      try probe.command("release")
      try await probe.fact("disconnected")
    }
  }

  @Test("A connection that drops what a blocked handler leaves no room for sleeps in between")
  func shedding() async throws {
    try await LocalBroker.with { broker in
      let probe = try Probe("client", broker.url, ["inbox=10", "keepAlive=5"])
      try await flood(probe, broker)
      try await shed(probe)
      let calls = try await calls(probe)
      #expect(calls.total < Self.most, "\(calls)")
      #expect(probe.values("disconnected").isEmpty)
    }
  }

  @Test("After a link that ended while it dropped messages, a connection sleeps until its next attempt")
  func endWhileShedding() async throws {
    try await LocalBroker.with { broker in
      let probe = try Probe("client", broker.url, ["inbox=10", "keepAlive=5", "backoff=30000"])
      try await flood(probe, broker)
      try await shed(probe)
      await broker.kill()
      try await eventually("the end went unnoticed") {
        probe.values("state").contains { $0.hasPrefix("waiting") }
      }
      let calls = try await calls(probe)
      #expect(calls.total < Self.most, "\(calls)")
    }
  }

  /// Has a handler block, and messages of QoS 0 come until nothing more is read.
  private func flood(_ probe: Probe, _ broker: LocalBroker) async throws {
    try await probe.fact("connected")
    try probe.command("subscribe flood")
    try await probe.fact("subscribed")
    try probe.command("block")
    try await Peer.publish(broker, "-t", "flood", "-m", "x", "--repeat", "300")
    try await probe.fact("blocked")
    try await settled(probe, "received")
  }

  /// Waits until what has no room was dropped.
  private func shed(_ probe: Probe) async throws {
    try await eventually("nothing is dropped") {
      try await probe.report()
      return try probe.number("dropped") > 0
    }
    try await settled(probe, "dropped")
  }

  /// Waits until a number has not changed for half a second.
  private func settled(_ probe: Probe, _ name: String) async throws {
    var last = -1
    try await eventually("\(name) never rests") {
      try await Task.sleep(for: .milliseconds(500))
      try await probe.report()
      let value = try probe.number(name)
      defer { last = value }
      return value == last
    }
  }
}
