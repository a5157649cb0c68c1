import Brokers
import MQTT
import Peers
import Testing

@Suite(.timeLimit(.minutes(2)), .enabled(if: hasProcessFiles, "there is no /proc to count descriptors in"))
struct DescriptorTests {
  @Test("A connection works with a descriptor above 1,024, where select ends")
  func manyDescriptors() async throws {
    try await LocalBroker.with { broker in
      let probe = try Probe("descriptors", broker.url)
      #expect(await probe.status == 0, "\(probe.output)")
      try #expect(probe.number("socket") > 1_200)
      try #expect(probe.number("disconnects") == 1)
    }
  }
}
