import Brokers
import MQTT
import Peers
import Testing

/// The wall clock is set by people and by time servers: no wait may hang on it.
///
/// The probe has functions of its own in place of `clock_gettime`, `gettimeofday` and `time`, for libmosquitto, Dispatch
/// and the Swift runtime too. A wait until a time of the wall clock, as `DispatchSemaphore` makes it on Linux, lasts a
/// day longer when that clock is set back by a day.
@Suite(.timeLimit(.minutes(3)), .enabled(if: hasProcessFiles, "libraries can't be given another clock here"))
struct ClockTests {
  @Test(
    "A wall clock that jumps by a day holds up no ping and no standby, and nobody reads it",
    arguments: [1, -1])
  func jump(_ days: Int) async throws {
    try await LocalBroker.with { broker in
      let probe = try Probe("client", broker.url, ["keepAlive=5", "messages=told"])
      try await probe.fact("connected")
      try probe.command("subscribe a")
      try await probe.fact("subscribed")
      try probe.command("clock \(days * 86_400)")
      #expect(
        try await probe.fact("clock") == "\(days * 86_400)", "the program's own reading is not replaced")
      try await probe.report()
      let (wall, all) = try (probe.number("clock.wall"), probe.number("clock.all"))

      // The standby takes the loop over, and so its waits are tried, too.
      try probe.command("block")
      try await Peer.publish(broker, "-t", "a", "-m", "x")
      try await probe.fact("blocked")
      let mark = broker.log.count
      try await broker.waitForLog("Received PINGREQ", count: 2, after: mark, within: .seconds(30))
      try probe.command("publish b y")
      try await probe.fact("published")
      try probe.command("release")
      try await probe.fact("message")

      try await probe.report()
      try #expect(probe.number("clock.all") > all, "the readings of the libraries are not replaced")
      try #expect(probe.number("clock.wall") == wall)
      try probe.command("close")
      #expect(await probe.status == 0)
      #expect(probe.values("disconnected") == ["by this side"])
    }
  }
}
