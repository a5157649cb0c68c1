import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct BrokenLinkTests {
  private static let links = 8

  /// The answer starts the next request, which finds the link gone.
  @Test func `a filter whose turn comes when the link has just ended is asked for on the next one`()
    async throws
  {
    // One more than are asked for at once.
    let filters = (0...1_000).map { "t/\($0)" }
    let areWanted = Atomic(false)
    let broker = try ScriptedBroker { link in
      try link.wait(for: "all to be wanted") { areWanted.load(ordering: .acquiring) }
      try link.accept()
      guard link.number < Self.links else { return try link.serve() }
      let first = try link.expectSubscribe()
      // Longer than requests are gathered.
      try link.pause(for: .milliseconds(20))
      try link.send(.suback(first.id, first.filters.map { .granted($0.qos) }))
    }
    var options = ConnectionOptions(host: "127.0.0.1", port: Int(broker.port))
    options.version = .v311
    options.backoff = Backoff(initial: .milliseconds(1))
    let bus = try Bus(options)
    let recorders = filters.map { Recorder(bus.signal($0)) }
    areWanted.store(true, ordering: .releasing)
    try await eventually { broker.linkCount > Self.links || recorders.contains { $0.hasEnded } }
    for recorder in recorders { try await recorder.subscription.ready }
    #expect(recorders.allSatisfy { !$0.hasEnded })
    await bus.close()
    try await broker.finish(links: Self.links + 1)
  }
}
