import Dispatch
import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct SchedulerTests {
  @Test func `immediate work runs inside the call, and what it schedules runs after it`() {
    let log = Lock<[String]>([])
    @Sendable func note(_ text: String) { log.withLock { $0.append(text) } }
    let scheduler = ImmediateScheduler.immediate
    scheduler.schedule {
      note("a")
      scheduler.schedule { note("b") }
      let cancelled = scheduler.schedule { note("never") }
      scheduler.schedule {
        note("c")
        scheduler.schedule { note("d") }
      }
      cancelled.dispose()
      note("a ends")
    }
    note("back")
    #expect(log.withLock { $0 } == ["a", "a ends", "b", "c", "d", "back"])
  }

  @Test func `immediate work that schedules itself again and again needs no stack`() {
    let count = Lock(0)
    @Sendable func again() {
      let next = count.withLock {
        $0 += 1
        return $0
      }
      if next < 100_000 { ImmediateScheduler.immediate.schedule(again) }
    }
    again()
    #expect(count.withLock { $0 } == 100_000)
  }

  @Test(arguments: [true, false])
  func `a task that immediate work starts is not part of it`(isDuring: Bool) async {
    let (isOver, hasTried, done) = (AsyncGate(), BlockingGate(), AsyncGate())
    onThread {
      ImmediateScheduler.immediate.schedule {
        Task {
          if !isDuring { await isOver.wait() }
          let hasRun = Lock(false)
          ImmediateScheduler.immediate.schedule { hasRun.withLock { $0 = true } }
          #expect(hasRun.withLock { $0 })
          hasTried.open()
          done.open()
        }
        if isDuring { hasTried.wait() }
      }
      isOver.open()
    }
    await done.wait()
  }

  @Test func `immediate work with a delay waits in the background`() async {
    let ran = AsyncGate()
    let isInside = Lock(true)
    ImmediateScheduler.immediate.schedule(after: .milliseconds(1)) {
      #expect(Schedulers.current as? QueueScheduler === QueueScheduler.background)
      #expect(!isInside.withLock { $0 })
      ran.open()
    }
    isInside.withLock { $0 = false }
    await ran.wait()
  }

  @Test func `the current scheduler is known to its work, and not to a task that it starts`() async {
    let scheduler = QueueScheduler(label: "test")
    let seen = Subject<(any Scheduler)?>(replay: 3)
    scheduler.schedule {
      seen.send(Schedulers.current)
      Task {
        seen.send(Schedulers.current)
        seen.complete()
      }
    }
    var all: [(any Scheduler)?] = []
    do { for try await one in seen.signal.values() { all.append(one) } } catch {}
    #expect(all.count == 2)
    #expect(all.first.flatMap { $0 } as? QueueScheduler === scheduler)
    #expect(all.last.flatMap { $0 } == nil)
  }

  @Test func `virtual time is a current scheduler, also under another one`() {
    let (outer, inner) = (VirtualScheduler(), VirtualScheduler())
    let seen = Lock<[VirtualScheduler?]>([])
    @Sendable func look() { seen.withLock { $0.append(Schedulers.current as? VirtualScheduler) } }
    inner.schedule(look)
    outer.schedule {
      look()
      inner.advance(by: .zero)
      look()
      ImmediateScheduler.immediate.schedule(look)
    }
    outer.advance(by: .zero)
    #expect(Schedulers.current == nil)
    #expect(seen.withLock { $0 }.map { $0 === outer } == [true, false, true, true])
    #expect(seen.withLock { $0 }[1] === inner)
  }

  @Test @MainActor func `the main actor is on the main scheduler`() {
    #expect(Schedulers.current as? QueueScheduler === QueueScheduler.main)
    _ = QueueScheduler(.main)
    #expect(Schedulers.current as? QueueScheduler === QueueScheduler.main)
  }

  @Test func `the subscription scheduler stays on a scheduler and leaves other threads`() async {
    let virtual = VirtualScheduler()
    let log = Lock<[String]>([])
    virtual.schedule {
      SubscriptionScheduler.subscription.schedule { log.withLock { $0.append("inside") } }
      log.withLock { $0.append("back") }
      SubscriptionScheduler.subscription.schedule(after: .seconds(1)) {
        log.withLock { $0.append("later") }
      }
    }
    virtual.advance(by: .zero)
    #expect(log.withLock { $0 } == ["inside", "back"])
    #expect(virtual.pendingCount == 1)
    virtual.advance(by: .seconds(1))
    #expect(log.withLock { $0 } == ["inside", "back", "later"])

    let ran = AsyncGate()
    onThread {
      SubscriptionScheduler.subscription.schedule {
        #expect(Schedulers.current as? QueueScheduler === QueueScheduler.background)
        ran.open()
      }
    }
    await ran.wait()
  }

  @Test(arguments: [Duration.seconds(Int64.max), .seconds(1e19), Duration(attoseconds: .max)])
  func `a delay of any length is waited for, and can be called off`(delay: Duration) async {
    let scheduler = QueueScheduler(label: "test")
    let canary = CallCounter()
    scheduler.schedule(after: delay) { canary.next() }.dispose()
    let timer = scheduler.schedule(after: delay) { canary.next() }
    // A timer that took the delay for a past time would have fired before this one.
    let later = AsyncGate()
    scheduler.schedule(after: .milliseconds(1)) { later.open() }
    await later.wait()
    #expect(canary.count == 0)
    timer.dispose()
  }

  @Test func `queue work runs in order, and not once it is disposed`() async {
    let queue = DispatchQueue(label: "test")
    let scheduler = QueueScheduler(queue)
    let log = Lock<[Int]>([])
    let (release, done) = (BlockingGate(), AsyncGate())
    scheduler.schedule { release.wait() }
    for index in 0..<3 {
      let work = scheduler.schedule { log.withLock { $0.append(index) } }
      if index == 1 { work.dispose() }
    }
    scheduler.schedule { done.open() }
    release.open()
    await done.wait()
    #expect(log.withLock { $0 } == [0, 2])
  }

  @Test(arguments: [Duration.zero, .seconds(3600)])
  func `disposed work is released at once`(delay: Duration) {
    let scheduler = QueueScheduler(label: "test")
    let release = BlockingGate()
    // Also when the queue is busy.
    scheduler.schedule { release.wait() }
    weak var captured: Subject<Int>?
    do {
      let subject = Subject<Int>()
      captured = subject
      scheduler.schedule(after: delay) { subject.send(1) }.dispose()
    }
    #expect(captured == nil)
    release.open()
  }
}
