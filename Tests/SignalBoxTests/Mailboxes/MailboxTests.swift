import Brokers
import Dispatch
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(5))) struct MailboxTests {
  @Test func `a value waits for the scheduler, and what is missed is counted`() {
    let time = VirtualScheduler()
    let mailbox = Mailbox(.dropOldest, capacity: 2, on: time)
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal.mailbox(mailbox))
    for number in 1...5 { subject.send(number) }
    #expect(recorder.values.isEmpty)
    #expect(mailbox.counters == MailboxCounters(received: 5, dropped: 3, waiting: 2))
    time.run()
    #expect(recorder.values == [4, 5])
    #expect(mailbox.counters == MailboxCounters(received: 5, delivered: 2, dropped: 3))
  }

  @Test func `the latest of each topic keeps the turn of the first`() {
    let time = VirtualScheduler()
    let mailbox = Mailbox(.latestPerTopic, capacity: 10, on: time)
    let subject = Subject<Message>()
    let recorder = Recorder(subject.signal.mailbox(mailbox).map(\.description))
    for (topic, text) in [("a", "1"), ("b", "1"), ("a", "2"), ("c", "1"), ("a", "3"), ("b", "2")] {
      subject.send(Message(topic: topic, payload: Array(text.utf8)))
    }
    time.run()
    #expect(recorder.values == ["a 3", "b 2", "c 1"])
    #expect(mailbox.counters == MailboxCounters(received: 6, delivered: 3, superseded: 3))
  }

  @Test func `values without a topic can't be told apart, which fails in words, unless one is named`() {
    let time = VirtualScheduler()
    let mailbox = Mailbox(.latestPerTopic, capacity: 10, on: time)
    #expect(
      Recorder(Signal.just(1).mailbox(mailbox)).log == [
        "failed(a mailbox for the latest per topic can't tell the topic of a Int: use readings, or mailbox(_:topic:))"
      ])
    let recorder = Recorder(Signal.from([1, 12, 3, 14]).mailbox(mailbox) { $0 < 10 ? "low" : "high" })
    time.run()
    #expect(recorder.log == ["next(3)", "next(14)", "completed"])
  }

  @Test(arguments: [Mailbox.Policy.dropOldest, .dropNewest])
  func `progress conflates beside the values, and the terminal comes after all`(policy: Mailbox.Policy) {
    let time = VirtualScheduler()
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal.mailbox(Mailbox(policy, capacity: 1, on: time)))
    subject.send(progress: 0.1)
    subject.send(progress: 0.2)
    subject.send(1)
    subject.send(progress: 0.3)
    subject.send(progress: 0.4)
    subject.complete()
    subject.send(2)
    time.run()
    #expect(recorder.log == ["progress(20%)", "next(1)", "progress(40%)", "completed"])
  }

  @Test func `a disposal drops what waits, and frees it`() {
    final class Load: Sendable {}
    let time = VirtualScheduler()
    let mailbox = Mailbox(.dropOldest, capacity: 9, on: time)
    let subject = Subject<Load>()
    let recorder = Recorder(subject.signal.mailbox(mailbox))
    weak var waiting: Load?
    do {
      let load = Load()
      waiting = load
      subject.send(load)
    }
    #expect(waiting != nil)
    recorder.subscription.dispose()
    #expect(waiting == nil)
    #expect(mailbox.counters == MailboxCounters(received: 1, dropped: 1))
    time.run()
    #expect(recorder.events.isEmpty)
  }

  @Test func `an observer that has enough ends its source, and what waited is dropped`() {
    let time = VirtualScheduler()
    let mailbox = Mailbox(.dropNewest, capacity: 9, on: time)
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal.mailbox(mailbox).take(2))
    for number in 1...5 { subject.send(number) }
    time.run()
    subject.send(6)
    #expect(recorder.log == ["next(1)", "next(2)", "completed"])
    #expect(mailbox.counters == MailboxCounters(received: 5, delivered: 2, dropped: 3))
  }

  @Test func `a sender waits for room, loses nothing, and never runs ahead further than the capacity`() async
  {
    let mailbox = Mailbox(.wait, capacity: 4)
    let (sent, furthest) = (Guarded(0), Guarded(0))
    let source = Signal<Int> { observer in
      for number in 1...500 {
        sent.withLock { $0 = number }
        observer.send(number)
      }
      observer.complete()
      return nil
    }
    let seen = Guarded<[Int]>([])
    await withCheckedContinuation { done in
      source.mailbox(mailbox).subscribe { number in
        let ahead = sent.withLock { $0 } - number
        furthest.withLock { $0 = max($0, ahead) }
        seen.withLock { $0.append(number) }
      } completed: {
        done.resume()
      }
    }
    #expect(seen.withLock { $0 } == Array(1...500))
    // Those that wait, and the one that the sender waits with.
    #expect(furthest.withLock { $0 } <= 5)
    #expect(mailbox.counters == MailboxCounters(received: 500, delivered: 500))
  }

  @Test func `a sender that waits goes on when the subscription is disposed`() async throws {
    let (mailbox, release) = (Mailbox(.wait, capacity: 1), DispatchSemaphore(value: 0))
    let subject = Subject<Int>()
    let subscription = subject.signal.mailbox(mailbox).subscribe { _ in release.wait() }
    let isSent = Guarded(false)
    DispatchQueue(label: "sender").async {
      for number in 1...3 { subject.send(number) }
      isSent.withLock { $0 = true }
    }
    // One is with the handler, one waits, and the sender holds the third.
    try await eventually { mailbox.counters == MailboxCounters(received: 2, delivered: 1, waiting: 1) }
    #expect(!isSent.withLock { $0 })
    subscription.dispose()
    try await eventually("the sender still waits") { isSent.withLock { $0 } }
    #expect(mailbox.counters == MailboxCounters(received: 2, delivered: 1, dropped: 1))
    release.signal()
    await subscription.drained()
  }

  @Test func `a sender that waits goes on when the observer has enough`() async throws {
    let mailbox = Mailbox(.wait, capacity: 1)
    let subject = Subject<Int>()
    let isSent = Guarded(false)
    let release = DispatchSemaphore(value: 0)
    let recorder = Recorder(
      subject.signal.mailbox(mailbox).handleEvents(next: { _ in release.wait() }).take(1))
    DispatchQueue(label: "sender").async {
      for number in 1...9 { subject.send(number) }
      isSent.withLock { $0 = true }
    }
    try await eventually { mailbox.counters.received == 2 }
    release.signal()
    try await eventually("the sender still waits") { isSent.withLock { $0 } }
    try await eventually { recorder.hasEnded }
    #expect(recorder.log == ["next(1)", "completed"])
  }

  @Test func `a handler may send into its own source though its mailbox is full`() async throws {
    let mailbox = Mailbox(.wait, capacity: 1)
    let subject = Subject<Int>()
    let seen = Guarded<[Int]>([])
    let subscription = subject.signal.mailbox(mailbox).subscribe { number in
      seen.withLock { $0.append(number) }
      if number == 1 { for next in 2...5 { subject.send(next) } }
    }
    subject.send(1)
    try await eventually { seen.withLock { $0 } == [1, 2, 3, 4, 5] }
    subscription.dispose()
  }

  @Test func `a million messages to an observer that is stuck take the room of their topics`() async throws {
    let (mailbox, release) = (Mailbox(.latestPerTopic, capacity: 10_000), DispatchSemaphore(value: 0))
    let subject = Subject<Message>()
    let seen = Guarded<[Message]>([])
    let isFirst = Guarded(true)
    let subscription = subject.signal.mailbox(mailbox).subscribe { message in
      if isFirst.withLock({ first in
        defer { first = false }; return first
      }) {
        release.wait()
      }
      seen.withLock { $0.append(message) }
    }
    let topics = (0..<1_000).map { "sensors/\($0)" }
    subject.send(Message(topic: "first", payload: []))
    try await eventually { mailbox.counters.delivered == 1 }
    for round in 0..<1_000 {
      let payload = Array("\(round)".utf8)
      for topic in topics { subject.send(Message(topic: topic, payload: payload)) }
    }
    #expect(
      mailbox.counters
        == MailboxCounters(received: 1_000_001, delivered: 1, superseded: 999_000, waiting: 1_000))
    release.signal()
    try await eventually { mailbox.counters.waiting == 0 && seen.withLock { $0.count } == 1_001 }
    #expect(seen.withLock { $0 }.dropFirst().map(\.topic) == topics)
    #expect(seen.withLock { $0 }.dropFirst().allSatisfy { $0.payload == Array("999".utf8) })
    subscription.dispose()
  }

  @Test(arguments: [Mailbox.Policy.wait, .dropOldest, .dropNewest, .latestPerTopic])
  func `the counters add up at any time, whatever happens`(policy: Mailbox.Policy) async {
    let mailbox = Mailbox(policy, capacity: 8)
    let subject = Subject<Message>()
    await withTaskGroup(of: Void.self) { group in
      for sender in 0..<3 {
        group.addTask {
          for number in 0..<2_000 {
            subject.send(Message(topic: "t/\(number % 20)", payload: [UInt8(sender)]))
          }
        }
      }
      group.addTask {
        for _ in 0..<200 {
          let subscription = subject.signal.mailbox(mailbox).subscribe { _ in }
          let now = mailbox.counters
          #expect(now.received == now.delivered + now.dropped + now.superseded + now.waiting)
          #expect(now.waiting >= 0)
          await Task.yield()
          subscription.dispose()
        }
      }
    }
    let now = mailbox.counters
    #expect(now.received == now.delivered + now.dropped + now.superseded && now.waiting == 0)
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a full mailbox that waits holds back the bus, which still publishes, and nothing is lost`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let (mailbox, release) = (Mailbox(.wait, capacity: 3), DispatchSemaphore(value: 0))
      let seen = Guarded<[Int]>([])
      let subscription = bus.signal("numbers", as: Int.self).mailbox(mailbox).subscribe { number in
        if number == 0 { release.wait() }
        seen.withLock { $0.append(number) }
      }
      try await settled(bus)
      let numbers = try bus.subject(to: "numbers", as: Int.self)
      for number in 0..<500 { numbers.send(number) }
      try await eventually { mailbox.counters == MailboxCounters(received: 4, delivered: 1, waiting: 3) }
      try await bus.publish(Publish(Topic("other"), "1"))
      #expect(mailbox.counters.received == 4)
      release.signal()
      try await eventually { seen.withLock { $0.count } == 500 }
      #expect(seen.withLock { $0 } == Array(0..<500))
      #expect(mailbox.counters.dropped == 0)
      subscription.dispose()
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a handler that sleeps in a mailbox delays no other observer of the bus`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let (mailbox, release) = (Mailbox(.latestPerTopic, capacity: 100), DispatchSemaphore(value: 0))
      let slow = Guarded<[String]>([])
      let subscription = bus.readings("home/#", as: Int.self).mailbox(mailbox).subscribe { reading in
        slow.withLock { $0.append("\(reading)") }
        release.wait()
      }
      let quick = Recorder(bus.signal("home/#", as: Int.self))
      try await settled(bus)
      try await Peer.publish(broker, "-t", "home/a", "-m", "0")
      try await eventually { slow.withLock { $0 } == ["home/a 0"] }
      for number in 1...5 { try await Peer.publish(broker, "-t", "home/b", "-m", "\(number)") }
      try await eventually { quick.values == [0, 1, 2, 3, 4, 5] }
      #expect(slow.withLock { $0 } == ["home/a 0"])
      #expect(mailbox.counters == MailboxCounters(received: 6, delivered: 1, superseded: 4, waiting: 1))
      for _ in 0..<2 { release.signal() }
      try await eventually { slow.withLock { $0 } == ["home/a 0", "home/b 5"] }
      subscription.dispose()
    }
  }
}
