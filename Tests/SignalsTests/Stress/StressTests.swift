import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct StressTests {
  @Test func `four senders are serialised into one order for all`() async {
    let subject = Subject<Int>()
    let recorders = [Recorder(subject.signal), Recorder(subject.signal.map { $0 })]
    let unguarded = Unguarded()
    subject.signal.subscribe { _ in unguarded.count += 1 }
    await onThreads(4) { thread in
      for step in 0..<2_000 { subject.send(thread * 10_000 + step) }
    }
    #expect(unguarded.count == 8_000)
    #expect(recorders[0].values.count == 8_000)
    #expect(recorders[0].values == recorders[1].values)
    for thread in 0..<4 {
      let own = recorders[0].values.filter { $0 / 10_000 == thread }
      #expect(own == own.sorted())
    }
  }

  @Test func `replay to live has no gap, no repeat and no inversion while senders race`() async {
    for _ in 0..<60 {
      let subject = Subject<Int>(replay: 4)
      let recorders = Lock<[Recorder<Int>]>([])
      await onThreads(2) { thread in
        if thread == 0 {
          for value in 0..<200 { subject.send(value) }
          subject.complete()
        } else {
          for _ in 0..<10 {
            let recorder = Recorder(subject.signal)
            recorders.withLock { $0.append(recorder) }
          }
        }
      }
      for recorder in recorders.withLock({ $0 }) {
        let first = recorder.values.first ?? 0
        #expect(recorder.values == Array(first..<200))
        #expect(recorder.hasEnded)
      }
    }
  }

  @Test func `a terminal that races values is the last, and there is one`() async {
    for _ in 0..<300 {
      let merged = Subject<Int>()
      let other = Subject<Int>()
      let recorder = Recorder(merged.signal.merge(with: other.signal).take(until: other.signal))
      await onThreads(2) { thread in
        if thread == 0 { for value in 0..<100 { merged.send(value) } } else { other.send(-1) }
      }
      #expect(recorder.hasEnded)
      #expect(recorder.events.filter(\.isTerminal).count == 1)
    }
  }

  @Test func `subscribing and disposing race the sends`() async {
    let subject = Subject<Int>(replay: 1)
    let stable = Recorder(subject.signal)
    await onThreads(4) { thread in
      for step in 0..<2_000 {
        if thread == 0 {
          subject.send(step)
        } else {
          let subscription = subject.signal.map { $0 + 1 }.subscribe { _ in }
          subscription.dispose()
        }
      }
    }
    #expect(stable.values == Array(0..<2_000))
  }

  @Test func `a subject's own drops and what arrives add up, however senders race the terminal`() async {
    for _ in 0..<100 {
      let subject = Subject<Int>()
      let recorder = Recorder(subject.signal)
      await onThreads(4) { thread in
        for step in 0..<50 { subject.send(thread * 100 + step) }
        subject.complete()
      }
      // Four terminals, of which one is delivered.
      #expect(recorder.values.count + subject.dropped == 4 * 50 + 3)
      #expect(recorder.events.filter(\.isTerminal).count == 1)
    }
  }

  @Test(arguments: [BufferPolicy.newest(8), .oldest(8), .newest(0), .unbounded])
  func `what an async view gives and what it drops add up, in order`(policy: BufferPolicy) async throws {
    for _ in 0..<20 {
      let subject = Subject<Int>()
      let values = subject.signal.values(buffer: policy)
      let iterator = values.makeAsyncIterator()
      let sending = Task {
        await onThreads(2) { thread in
          for step in 0..<500 { subject.send(thread * 1_000 + step) }
        }
        subject.complete()
      }
      var received: [Int] = []
      while let value = try await iterator.next() { received.append(value) }
      await sending.value
      #expect(received.count + values.dropped == 1_000)
      #expect(iterator.dropped == values.dropped)
      for thread in 0..<2 {
        let own = received.filter { $0 / 1_000 == thread }
        #expect(own == own.sorted())
      }
    }
  }

  @Test func `many iterations of one sequence drop into one count`() async throws {
    let subject = Subject<Int>()
    let values = subject.signal.values(buffer: .oldest(1))
    let history = History()
    let go = AsyncGate()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let iterator = values.makeAsyncIterator()
          history.add("present")
          await go.wait()
          var count = 0
          while try await iterator.next() != nil { count += 1 }
          history.add("\(count) and \(iterator.dropped)")
        }
      }
      await history.until("present", times: 8)
      await onThreads(2) { _ in for step in 0..<500 { subject.send(step) } }
      subject.complete()
      go.open()
      try await group.waitForAll()
    }
    #expect(history.log.dropFirst(8) == ArraySlice(repeating: "1 and 999", count: 8))
    #expect(values.dropped == 8 * 999)
  }

  @Test func `cancellation races values and the end, and every loop ends`() async {
    for round in 0..<300 {
      let subject = Subject<Int>()
      let values = subject.signal.values(buffer: round.isMultiple(of: 2) ? .unbounded : .newest(2))
      let tasks = (0..<2).map { _ in
        Task {
          var last = -1
          for try await value in values {
            #expect(value > last)
            last = value
          }
        }
      }
      await onThreads(2) { thread in
        if thread == 0 {
          for step in 0..<50 { subject.send(step) }
          subject.fail(Broken())
        } else {
          tasks[0].cancel()
        }
      }
      for task in tasks {
        if case .failure(let error) = await task.result { #expect(error is Broken) }
      }
    }
  }
}
