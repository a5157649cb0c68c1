import MQTT
import Peers
import Testing

/// Which messages a broker takes for which filter, and what it does with those that it does not want.
@Suite(.timeLimit(.minutes(5)))
struct TopicInteropTests {
  @Test("+ stands for a level, # for the rest", arguments: InteropBroker.versions)
  func wildcards(_ version: ProtocolVersion) async throws {
    let names = ["x", "x/y", "x/y/z", "w/y"]
    let expected: [(filter: String, names: Set<String>)] = [
      ("x/+", ["x/y"]), ("+/y", ["x/y", "w/y"]), ("x/#", ["x", "x/y", "x/y/z"]), ("+/+/z", ["x/y/z"]),
    ]
    for (filter, matching) in expected {
      let got = try await matches(filter, names, version)
      #expect(got == matching, "\(filter)")
    }
  }

  @Test("An empty level is a level", arguments: InteropBroker.versions)
  func emptyLevels(_ version: ProtocolVersion) async throws {
    try #expect(await matches("+", ["", "a", "/"], version) == ["", "a"])
    try #expect(await matches("+/a", ["/a", "a", "//a"], version) == ["/a"])
    try #expect(await matches("a/", ["a/", "a", "a//"], version) == ["a/"])
  }

  /// Those of `names`, all below the test's own level, that come for `filter`.
  private func matches(_ filter: String, _ names: [String], _ version: ProtocolVersion) async throws -> Set<
    String
  > {
    var found: Set<String> = []
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let mark = try Topic("\(broker.root)-mark")
        _ = try await connection.subscribe([
          Subscribe(broker.filter(filter)), Subscribe(TopicFilter(mark)),
        ])
        for name in names { try await connection.publish(Publish(broker.topic(name), "x")) }
        try await connection.publish(Publish(mark, "x"))
        try await eventually("no mark") { recorder.texts(on: mark) == ["x"] }
        let topics = recorder.history.messages.map(\.topic).filter { $0 != mark.name }
        #expect(topics.count == Set(topics).count, "repeated: \(topics)")
        found = Set(topics.map { String($0.dropFirst(broker.root.utf8.count + 1)) })
      }
    }
    return found
  }

  @Test("A topic with a dot", arguments: InteropBroker.versions)
  func dots(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let topic = try broker.topic("1.5")
        _ = try await connection.subscribe([Subscribe(broker.filter("#"))])
        try await connection.publish(Publish(topic, "x"))
        try await eventually("nothing arrived") { recorder.texts == ["x"] }
        let got = recorder.history.messages[0].topic
        broker.record("a topic with a dot", got == topic.name ? "kept" : "arrives as a/1/5 for a/1.5")
        #expect(got == topic.name || !broker.isOwn)
      }
    }
  }

  @Test("Topics that begin with $", arguments: InteropBroker.versions)
  func dollar(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let (hidden, shown) = (try Topic("$interop/\(broker.root)"), try broker.topic("shown"))
        _ = try await connection.subscribe([Subscribe(TopicFilter("#"), qos: .atMostOnce)])
        guard try await publishOnce(Publish(hidden, "1"), broker) != nil else {
          return broker.record("a $ topic of one's own", "the link is closed, time and again")
        }
        try await connection.publish(Publish(shown, "1"))
        try await eventually("# gets nothing") { recorder.texts(on: shown) == ["1"] }
        let isHidden = recorder.texts(on: hidden).isEmpty
        broker.record("a $ topic for the filter #", isHidden ? "hidden" : "sent")
        #expect(isHidden || !broker.isOwn)
        try await connection.unsubscribe([TopicFilter("#")])
        _ = try await connection.subscribe([Subscribe(TopicFilter(hidden)), Subscribe(TopicFilter(shown))])
        // On a connection of its own: a broker may acknowledge it and then close the link.
        _ = try await publishOnce(Publish(hidden, "2"), broker)
        try await connection.publish(Publish(shown, "2"))
        try await eventually("no mark") { recorder.texts(on: shown).last == "2" }
        let isCarried = recorder.texts(on: hidden).contains("2")
        broker.record("a $ topic of one's own", isCarried ? "carried" : "dropped")
        #expect(isCarried || !broker.isOwn)
      }
    }
  }

  @Test("How many copies two overlapping filters get", arguments: InteropBroker.versions)
  func overlap(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let (topic, mark) = (try broker.topic("a/b"), try broker.topic("mark"))
        _ = try await connection.subscribe([
          Subscribe(broker.filter("a/#")), Subscribe(broker.filter("a/+")), Subscribe(TopicFilter(mark)),
        ])
        try await connection.publish(Publish(topic, "x"))
        try await connection.publish(Publish(mark, "x"))
        try await eventually("no mark") { recorder.texts(on: mark) == ["x"] }
        let count = recorder.texts(on: topic).count
        #expect(count == 1 || count == 2)
        broker.record("copies for two overlapping filters", "\(count)")
      }
    }
  }

  @Test("What a second, equal subscribe does to the first", arguments: InteropBroker.versions)
  func subscribeAgain(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let (topic, mark) = (try broker.topic("a"), try broker.topic("mark"))
        _ = try await connection.subscribe([Subscribe(TopicFilter(mark))])
        for _ in 0..<2 { _ = try await connection.subscribe([Subscribe(TopicFilter(topic))]) }
        try await connection.publish(Publish(topic, "x"))
        try await connection.publish(Publish(mark, "x"))
        try await eventually("no mark") { recorder.texts(on: mark) == ["x"] }
        #expect(recorder.texts(on: topic) == ["x"])
      }
    }
  }

  @Test("A subscription against the rules leaves the other ones alone", arguments: InteropBroker.versions)
  func deniedSubscribe(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { connection, recorder in
        let topic = try broker.topic("open")
        _ = try await connection.subscribe([Subscribe(TopicFilter(topic))])
        let asked = try? await connection.subscribe([Subscribe(TopicFilter(InteropBroker.forbidden))])
        switch asked?.first {
        case .granted: broker.record("a subscribe against the rules", "granted, and nothing comes")
        case .refused(let code): broker.record("a subscribe against the rules", "refused: \(code)")
        case nil: broker.record("a subscribe against the rules", "the link is closed")
        }
        guard asked != nil else { return }
        try await connection.publish(Publish(topic, "x"))
        try await eventually("the other one is gone") { recorder.texts(on: topic) == ["x"] }
        #expect(recorder.history.causes.isEmpty)
      }
    }
  }

  @Test("A publish against the rules", arguments: InteropBroker.versions)
  func deniedPublish(_ version: ProtocolVersion) async throws {
    let fact = "a publish against the rules"
    try await InteropBroker.with(version) { broker in
      let outcome = try await publishOnce(Publish(Topic(InteropBroker.forbidden), "x"), broker)
      switch outcome {
      case .acknowledged: broker.record(fact, "acknowledged, and dropped")
      case let other?: broker.record(fact, other.fact)
      case nil: broker.record(fact, "the link is closed, time and again")
      }
      if broker.isOwn {
        #expect(outcome == (version == .v5 ? .refused(.notAuthorized) : .acknowledged(.success)))
      }
    }
  }

  @Test("A publish at QoS 2", arguments: InteropBroker.versions)
  func exactlyOnce(_ version: ProtocolVersion) async throws {
    try await InteropBroker.with(version) { broker in
      try await withConnection(broker.options) { watcher, recorder in
        let topic = try broker.topic("two")
        _ = try await watcher.subscribe([Subscribe(TopicFilter(topic))])
        let outcome = try await publishOnce(Publish(topic, "x", qos: .exactlyOnce), broker)
        broker.record("a publish at QoS 2", outcome?.fact ?? "the link is closed, time and again")
        if broker.isOwn { #expect(outcome == .acknowledged(.success)) }
        if outcome?.isSuccess == true {
          try await eventually("nothing arrived") { recorder.texts(on: topic) == ["x"] }
        }
      }
    }
  }

  /// What becomes of a publish; nil when its link breaks, and breaks again when it is sent again.
  private func publishOnce(_ publish: Publish, _ broker: InteropBroker) async throws -> PublishResult? {
    let recorder = Recorder()
    let connection = try Connection(broker.options)
    let results = Collector<PublishResult>()
    connection.connect(delegate: recorder)
    connection.publish(publish) { results.add($0) }
    try await eventually("no end") { results.count == 1 || recorder.history.causes.count > 2 }
    let result = results.values.first
    await connection.close(deadline: .zero)
    return result
  }
}
