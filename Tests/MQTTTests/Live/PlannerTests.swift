import Brokers
import Peers
import Signals
import Testing

@testable import MQTT

/// Wants some filters whenever a link opens, and notes what it hears.
private final class Planner: LinkPlanner {
  private let wanted: [Subscribe]
  private let state = Lock((log: [String](), due: false))
  private let delivery: (@Sendable () -> Void)?

  init(_ filters: [String], delivery: (@Sendable () -> Void)? = nil) throws {
    wanted = try filters.enumerated().map { index, name in
      Subscribe(try TopicFilter(name), identifier: UInt32(index + 1))
    }
    self.delivery = delivery
  }

  var log: [String] { state.withLock { $0.log } }

  private func note(_ line: String) { state.withLock { $0.log.append(line) } }

  func linkOpened(_ session: Session) -> LinkWork {
    note("opened \(session.number.value)")
    var work = LinkWork()
    work.subscribes = wanted
    work.unsubscribes = [wanted[0].filter]
    return work
  }

  func linkClosed(_ end: LinkEnd) -> LinkWork {
    note("closed")
    return LinkWork()
  }

  func plan() -> LinkWork {
    note("plan")
    var work = LinkWork()
    if let delivery { work.deliveries = [delivery] }
    return work
  }

  func subscribed(
    _ subscribes: [Subscribe], _ answer: Result<[SubscribeResult], ConnectionError>
  ) -> LinkWork {
    let names = subscribes.map(\.filter.name).joined(separator: " ")
    switch answer {
    case .success(let results): note("\(names): \(results)")
    case .failure: note("\(names) failed")
    }
    var work = LinkWork()
    work.deadline = .now
    return work
  }

  func unsubscribed(_ filters: [TopicFilter], _ answer: Result<Void, ConnectionError>) -> LinkWork {
    note("-\(filters[0])")
    return LinkWork()
  }
}

@Suite(.timeLimit(.minutes(3)))
struct PlannerTests {
  @Test(
    "What is subscribed when a link opens goes out before what waits, whatever the handlers are at",
    arguments: ProtocolVersion.both)
  func subscribesFirst(_ version: ProtocolVersion) async throws {
    let isStalled = Lock(false)
    let broker = try ScriptedBroker(links: [
      { link in
        try link.accept()
        try link.expectUnsubscribe(from: "a")
        try link.expectSubscribe()
        try link.send(.publish("a", "x"))
        try link.wait(for: "the handler") { isStalled.withLock { $0 } }
        try link.reset()
      },
      { link in
        try link.accept()
        try link.expectUnsubscribe(from: "a")
        try link.expectSubscribe()
        if version == .v5 { try link.expectSubscribe() }
        let publish = try link.expectPublish(to: "own", "1")
        try link.send(.puback(publish.id))
        try link.serve()
      },
    ])
    let barrier = Barrier()
    let recorder = Recorder { _ in
      isStalled.withLock { $0 = true }
      barrier.wait()
    }
    let planner = try Planner(["a", "b"])
    let connection = try Connection(ConnectionOptions(broker, version))
    connection.connect(delegate: recorder, planner: planner)
    try await eventually("the handler is not called") { isStalled.withLock { $0 } }
    try await eventually("the link is not lost") { planner.log.contains("closed") }
    try await connection.publish(Publish(Topic("own"), "1"))
    #expect(planner.log.filter { $0.hasPrefix("opened") } == ["opened 1", "opened 2"])
    barrier.open()
    await connection.close(deadline: .zero)
    try await broker.finish(links: 2)
  }

  @Test(
    "A planner hears each packet's answer when it comes, and what ends with the link after that it is closed")
  func answers() async throws {
    let broker = try ScriptedBroker { link in
      try link.accept()
      let unsubscribe = try link.expectUnsubscribe(from: "a")
      let first = try link.expectSubscribe(to: "a")
      _ = try link.expectSubscribe(to: "b")
      try link.send(.unsuback(unsubscribe.id, [.success]), .suback(first.id, [.notAuthorized]))
      try link.expectPublish(to: "now", "x")
      try link.reset()
    }
    let planner = try Planner(["a", "b"])
    let connection = try Connection(ConnectionOptions(broker))
    connection.connect(delegate: nil, planner: planner)
    try await eventually("no answer: \(planner.log)") { planner.log.contains { $0.hasPrefix("a:") } }
    connection.send(Publish(try Topic("now"), "x"))
    try await eventually("not closed: \(planner.log)") { planner.log.contains("b failed") }
    let log = planner.log.filter { $0 != "plan" && !$0.hasPrefix("opened") }
    #expect(log.prefix(4) == ["-a", "a: \([SubscribeResult.refused(.notAuthorized)])", "closed", "b failed"])
    await connection.close(deadline: .zero)
  }

  @Test(
    "A planner is asked again when it wanted that, and when somebody asks for it; what it gives is called in order"
  )
  func asked() async throws {
    let broker = try ScriptedBroker { try $0.serve() }
    let calls = Collector<Int>()
    let planner = try Planner(["a"]) { calls.add(1) }
    let connection = try Connection(ConnectionOptions(broker))
    connection.connect(delegate: nil, planner: planner)
    try await eventually("not asked") { planner.log.contains("-a") && calls.count == 1 }
    connection.replan()
    try await eventually("not asked again") { calls.count == 2 }
    await connection.close()
    #expect(planner.log.last == "closed")
    connection.replan()
    #expect(planner.log.last == "closed")
  }
}
