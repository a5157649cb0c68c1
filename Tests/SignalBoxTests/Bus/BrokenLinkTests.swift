import Brokers
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct BrokenLinkTests {
  /// The answer starts the next request, which mostly finds the link gone. (A link that ends twice in a row while a
  /// filter is asked for alone is another matter.)
  @Test(arguments: 0..<5)
  func `a filter whose turn comes when the link has just ended is asked for on the next one`(_: Int)
    async throws
  {
    // One more than are asked for at once.
    let filters = (0...1_000).map { "t/\($0)" }
    let areWanted = Atomic(false)
    let broker = try ScriptedBroker { link in
      try link.wait(for: "all to be wanted") { areWanted.load(ordering: .acquiring) }
      try link.accept()
      guard link.number == 0 else { return try link.serve() }
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
    try await eventually { broker.linkCount > 1 || recorders.contains { $0.hasEnded } }
    for recorder in recorders { try await recorder.subscription.ready }
    #expect(recorders.allSatisfy { !$0.hasEnded })
    await bus.close()
    try await broker.finish(links: 2)
  }
}
