import Brokers
import Dispatch
import MQTT
import Peers
import SignalBox
import Signals
import SignalsTesting
import Testing

/// Lines of `mosquitto_sub -v`, taken apart.
private func fields(_ line: String) -> (topic: String, payload: String) {
  let parts = line.split(separator: " ", maxSplits: 1).map(String.init)
  return (parts[0], parts.count > 1 ? parts[1] : "")
}

@Suite(.timeLimit(.minutes(5))) struct JobTests {
  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `mosquitto_sub sees state, progress and values, and the end in the right order`(
    version: ProtocolVersion
  ) async throws {
    try await withBroker(version: version) { broker, bus in
      let monitor = try await Peer.subscribe(broker, "-v", "-t", "jobs/#")
      let job = try bus.job("jobs/backup", of: String.self, title: "nightly backup", id: "r1")
      try await broker.waitForLog("'jobs/backup/_state'")
      job.report(done: 1, of: 4, unit: "files")
      try job.publish("photos.tar")
      for step in 2...4 { job.report(done: Double(step), of: 4, unit: "files") }
      job.complete()
      try await job.flush()
      let lines = try await monitor.lines { $0.last?.contains(#""state":"done""#) == true }.map(fields)
      #expect(lines.first?.topic == "jobs/backup/_state")
      #expect(lines.first?.payload.contains(#""run":"r1","started":"#) == true)
      #expect(lines.contains { $0 == ("jobs/backup", "photos.tar") })
      let last = lines.suffix(2)
      #expect(last.first?.topic == "jobs/backup/_progress")
      for part in [#""done":4"#, #""final":"done""#, #""percent":100"#, #""unit":"files""#] {
        #expect(last.first?.payload.contains(part) == true, "\(last)")
      }
      #expect(last.last?.topic == "jobs/backup/_state")
      #expect(last.last?.payload.contains(#""values":1"#) == true)
    }
  }

  @Test func `ten million reports in a tight loop send a handful, and the last is final and true`()
    async throws
  {
    try await withBroker { broker, bus in
      let monitor = try await Peer.subscribe(broker, "-t", "jobs/loop/_progress")
      let job = try bus.job("jobs/loop")
      #if TSAN
        let count = 1_000_000
      #else
        let count = 10_000_000
      #endif
      let started = ContinuousClock.now
      for step in 1...count { job.report(done: step, of: count) }
      job.complete()
      try await job.flush()
      let elapsed = ContinuousClock.now - started
      let lines = try await monitor.lines { $0.last?.contains(#""final":"done""#) == true }
      // Four a second, and now and then a heartbeat.
      #expect(Double(lines.count) <= 3 + 5 * (elapsed / .seconds(1)))
      #expect(lines.last?.contains(#""done":\#(count),"#) == true)
    }
  }

  @Test func `a failed job says why, a dropped one too, a cancelled one is no failure`() async throws {
    try await withBroker { broker, bus in
      let monitor = try await Peer.subscribe(broker, "-v", "-t", "jobs/+/_state")
      let failed = try bus.job("jobs/failed")
      failed.end(.failed("disk full", exit: 7))
      failed.complete()
      var dropped: Job<Never>? = try bus.job("jobs/dropped")
      dropped = nil
      _ = dropped
      let cancelled = try bus.job("jobs/cancelled")
      cancelled.fail(CancellationError())
      let open = try bus.job("jobs/open")
      await bus.close()
      #expect(open.isDisposed)
      let lines = try await monitor.lines { lines in
        lines.filter { $0.contains(#""ended":"#) }.count == 4
      }
      func last(_ name: String) -> String { lines.last { $0.hasPrefix("jobs/\(name)/") } ?? "" }
      #expect(last("failed").contains(#""error":"disk full""#) && last("failed").contains(#""exit":7"#))
      #expect(last("dropped").contains(#""state":"failed""#))
      #expect(last("cancelled").contains(#""state":"cancelled""#))
      #expect(last("open").contains("closed before the job had ended"))
    }
  }

  @Test func `a job that a signal of the closing bus feeds has failed, and is not done`() async throws {
    try await withBroker { broker, bus in
      let monitor = try await Peer.subscribe(broker, "-t", "jobs/fed/_state")
      let job = try bus.job("jobs/fed", of: Double.self)
      bus.signal("source", as: Double.self).subscribe(job)
      try await broker.waitForLog("'jobs/fed/_state'")
      await bus.close()
      let lines = try await monitor.lines { $0.last?.contains(#""ended":"#) == true }
      #expect(lines.last?.contains(#""state":"failed""#) == true)
    }
  }

  @Test func `flush says why the end has not arrived, and a value after the end is refused`() async throws {
    let bus = try Bus("mqtt://127.0.0.1:1")
    let job = try bus.job("jobs/deaf", of: Int.self)
    await #expect(throws: ConnectionError.self) { try await job.flush(deadline: .milliseconds(10)) }
    job.complete()
    #expect(throws: BusError.jobEnded(try Topic("jobs/deaf"))) { try job.publish(1) }
    do {
      try await job.flush(deadline: .seconds(1))
      Issue.record("nobody could confirm it")
    } catch {
      #expect("\(error)".contains("127.0.0.1"))
    }
    await bus.close()
  }

  @Test func `values that don't fit the outbox are refused aloud, and the end still arrives`() async throws {
    try await LocalBroker.with { broker in
      var options = ConnectionOptions.toward(broker)
      options.outboxLimits = .init(count: 10, bytes: 1 << 20)
      let bus = try Bus(options)
      await broker.kill()
      let job = try bus.job("jobs/full", of: Int.self)
      for value in 0..<10 { try job.publish(value) }
      #expect(throws: ConnectionError.outboxFull(try Topic("jobs/full"))) { try job.publish(10) }
      job.report(fraction: 0.5)
      job.complete()
      try await broker.restart()
      try await job.flush(deadline: .seconds(60))
      let monitor = try await Peer.subscribe(broker, "-t", "jobs/full/_state")
      let line = try await monitor.lines { !$0.isEmpty }.first
      #expect(line?.contains(#""state":"done""#) == true && line?.contains(#""values":10"#) == true)
      await bus.close()
    }
  }

  @Test func `a value that the broker refuses is a problem`() async throws {
    let options = LocalBroker.Options(accessRules: ["topic readwrite jobs/+/+"])
    try await withBroker(options) { broker, bus in
      let problems = Recorder(bus.problems)
      let job = try bus.job("jobs/denied", of: Int.self)
      try job.publish(1)
      try await eventually { problems.values.map(\.topic) == ["jobs/denied"] }
      job.complete()
    }
  }

  @Test func `a handler that holds up a timer holds up no job`() async throws {
    try await withBroker { broker, bus in
      let monitor = try await Peer.subscribe(broker, "-t", "jobs/free/_progress")
      let job = try bus.job("jobs/free")
      try await broker.waitForLog("'jobs/free/_state'")
      let isHeld = Subject<Void>(replay: 1)
      let release = DispatchSemaphore(value: 0)
      let timer = Signal.interval(.milliseconds(1)).subscribe { count in
        guard count == 0 else { return }
        isHeld.send(())
        release.wait()
      }
      let held = isHeld.signal.values().makeAsyncIterator()
      _ = try await held.next()
      job.report(fraction: 0.1)
      job.report(fraction: 0.2)
      defer { release.signal() }
      try await monitor.lines { $0.contains { $0.contains(#""percent":20"#) } }
      timer.dispose()
      job.complete()
    }
  }

  @Test func `a bad topic is an error in words`() async throws {
    try await withBroker { _, bus in
      #expect(throws: TopicError.self) { try bus.job("jobs/+") }
      #expect(throws: TopicError.self) { try bus.subject(to: "", as: Int.self) }
      #expect(Recorder(bus.follow("jobs/#")).hasEnded)
    }
  }

  @Test func `values, progress and the end of any signal make a job`() async throws {
    try await withBroker { broker, bus in
      let follower = Recorder(bus.follow("jobs/bound", of: Int.self))
      try await settled(bus)
      let source = Subject<Int>()
      let job = try bus.job("jobs/bound", of: Int.self)
      source.signal.subscribe(job)
      for value in 1...3 {
        source.send(value)
        source.send(progress: ProgressUpdate(done: Double(value), total: 3))
      }
      source.complete()
      try await eventually { follower.hasEnded }
      #expect(follower.values == [1, 2, 3])
      #expect(follower.progress.last?.fraction == 1)
      #expect(follower.log.last == "completed")
    }
  }

  @Test func `the broker killed under a job: state and progress are there again when it is back`()
    async throws
  {
    try await withBroker { broker, bus in
      let job = try bus.job("jobs/survivor")
      job.report(fraction: 0.5)
      try await broker.waitForLog("_progress")
      await broker.kill()
      try await broker.restart()
      try await eventually { broker.log.filter { $0.contains("'jobs/survivor/_progress'") }.count >= 2 }
      let late = Recorder(bus.follow("jobs/survivor"))
      try await eventually { late.progress.last?.fraction == 0.5 }
      job.complete()
      try await eventually { late.log.last == "completed" }
    }
  }

  @Test func `a leftover lost of an old run does not stand over the new one`() async throws {
    try await withBroker { broker, bus in
      let job = try bus.job("jobs/twice", id: "new")
      try await settled(bus)
      try await Peer.publish(
        broker, "-t", "jobs/twice/_state", "-q", "1", "-r", "-m", #"{"v":1,"run":"old","state":"lost"}"#)
      try await broker.waitForLog("'jobs/twice/_state'", count: 3)
      let late = Recorder(bus.signal("jobs/twice/_state", as: String.self))
      try await eventually { late.values.last?.contains(#""run":"new""#) == true }
      job.complete()
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct FollowTests {
  @Test func `a job of the shell can be followed`() async throws {
    try await withBroker { broker, bus in
      let follower = Recorder(bus.follow("jobs/shell", of: String.self))
      try await settled(bus)
      try await Peer.publish(broker, "-t", "jobs/shell/_state", "-r", "-m", "running")
      for step in ["1/4", "50%", "3/4 files"] {
        try await Peer.publish(broker, "-t", "jobs/shell/_progress", "-r", "-m", step)
      }
      try await Peer.publish(broker, "-t", "jobs/shell", "-m", "a value")
      try await Peer.publish(broker, "-t", "jobs/shell/_state", "-r", "-m", "failed")
      try await eventually { follower.hasEnded }
      #expect(follower.progress.map(\.fraction) == [0.25, 0.5, 0.75])
      #expect(follower.values == ["a value"])
      #expect(follower.log.last == "failed(the job failed)")
    }
  }

  @Test func `one who comes after the end gets its outcome, and next waits for another run`() async throws {
    try await withBroker { broker, bus in
      let job = try bus.job("jobs/over")
      job.report(fraction: 0.3)
      job.end(.failed("disk full", exit: 7))
      try await job.flush()
      let late = Recorder(bus.follow("jobs/over"))
      let next = Recorder(bus.follow("jobs/over", run: .next))
      try await eventually { late.hasEnded }
      #expect(late.log == ["progress(30%)", "failed(the job failed with exit status 7: disk full)"])
      let again = try bus.job("jobs/over")
      again.report(fraction: 0.6)
      again.complete()
      try await eventually { next.hasEnded }
      #expect(next.progress.allSatisfy { ($0.fraction ?? 0) >= 0.6 })
      #expect(next.log.last == "completed")
    }
  }

  @Test(arguments: [ProtocolVersion.v5, .v311])
  func `a run that is over in a moment is not missed by one who waits for it`(version: ProtocolVersion)
    async throws
  {
    try await withBroker(version: version) { broker, bus in
      for round in 0..<10 {
        let next = Recorder(bus.follow("jobs/short/\(round)", of: Int.self, run: .next))
        try await next.subscription.ready
        let job = try bus.job("jobs/short/\(round)", of: Int.self)
        job.report(fraction: 0.5)
        try job.publish(round)
        job.complete()
        try await eventually("it never ended: \(next.log)") { next.hasEnded }
        #expect(next.values == [round])
        #expect(next.log.last == "completed")
        try await job.flush()
      }
    }
  }

  @Test func `a bus that is closed does not mean that a job is done`() async throws {
    try await withBroker { broker, bus in
      let job = try bus.job("jobs/long")
      let follower = Recorder(bus.follow("jobs/long"))
      let other = Recorder(bus.follow("jobs/other", run: .next))
      try await settled(bus)
      let workers = try Bus(.toward(broker))
      let elsewhere = Recorder(workers.follow("jobs/long"))
      try await settled(workers)
      await workers.close()
      #expect(elsewhere.log == ["failed(the bus is closed: make a new one)"])
      await bus.close()
      #expect(other.log == ["failed(the bus is closed: make a new one)"])
      #expect(follower.log.last?.hasPrefix("failed(") == true && follower.log.count == 1)
      _ = job
    }
  }

  @Test func `a worker that is gone without a word is lost`() async throws {
    try await withBroker { broker, bus in
      let follower = Recorder(bus.follow("jobs/gone"))
      try await settled(bus)
      let worker = try await Peer.subscribe(
        broker, "-t", "none", "--will-topic", "jobs/gone/_state", "--will-retain", "--will-qos", "1",
        "--will-payload", #"{"v":1,"run":"r","state":"lost"}"#)
      try await Peer.publish(broker, "-t", "jobs/gone/_state", "-r", "-m", #"{"run":"r","state":"running"}"#)
      try await Peer.publish(broker, "-t", "jobs/gone/_progress", "-r", "-m", #"{"run":"r","percent":30}"#)
      worker.kill()
      try await eventually { follower.hasEnded }
      #expect(
        follower.log == ["progress(30%)", "failed(the job is lost: its worker is gone without a word)"])
    }
  }

  @Test func `nonsense on its topics is a problem and no end`() async throws {
    try await withBroker { broker, bus in
      let problems = Recorder(bus.problems)
      let follower = Recorder(bus.follow("jobs/odd"))
      try await settled(bus)
      for payload in ["{percent:42}", #"{"percent":1e400}"#, "42"] {
        try await Peer.publish(broker, "-t", "jobs/odd/_progress", "-m", payload)
      }
      try await eventually { follower.progress.last?.fraction == 0.42 }
      #expect(problems.values.map(\.reason) == ["not a JSON object"])
    }
  }
}

@Suite(.timeLimit(.minutes(5))) struct PublisherTests {
  @Test func `a subject's values and progress are published, its end is not`() async throws {
    try await withBroker { broker, bus in
      let monitor = try await Peer.subscribe(broker, "-v", "-t", "heating/#")
      let subject = try bus.subject(to: "heating/setpoint", as: Double.self, retain: true)
      subject.send(21)
      subject.send(progress: 0.5)
      subject.send(progress: 0.6)
      subject.send(21.5)
      subject.complete()
      try await monitor.lines {
        $0.contains { $0.contains(#""percent":60"#) } && $0.contains("heating/setpoint 21.5")
      }
      let values = monitor.lines.filter { $0.hasPrefix("heating/setpoint ") }
      #expect(values == ["heating/setpoint 21", "heating/setpoint 21.5"])
      let kept = Recorder(bus.signal("heating/setpoint", as: Double.self))
      try await eventually { kept.values == [21.5] }
    }
  }

  @Test func `a value without a form on the wire is a problem`() async throws {
    try await withBroker { broker, bus in
      let problems = Recorder(bus.problems)
      let subject = try bus.subject(to: "n", as: Double.self)
      subject.send(.nan)
      #expect(problems.values.map(\.description) == [#""n": nan can't be sent: only finite numbers can"#])
    }
  }
}
