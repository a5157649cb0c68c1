import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct FromCallTests {
  private func log<Value>(_ signal: Signal<Value>) async -> [String] {
    var log: [String] = []
    for await event in signal.events() { log.append(event.description) }
    return log
  }

  @Sendable private func double(_ number: Int) async throws -> Int { number * 2 }
  @Sendable private func nothing() async {}

  @Test func `the result comes, and then the completion`() async {
    #expect(await log(Signal.from { try await double(21) }) == ["next(42)", "completed"])
    #expect(await log(Signal.from(priority: .high) { try await double(1) }) == ["next(2)", "completed"])
  }

  @Test func `a call without a result sends that it is through`() async {
    #expect(await log(Signal.from { await nothing() }) == ["next(())", "completed"])
    #expect(await log(Signal.from(nothing)) == ["next(())", "completed"])
  }

  @Test func `what it throws fails the signal, also a cancellation that nobody asked for`() async {
    #expect(await log(Signal<Int>.from { throw Broken() }) == ["failed(Broken())"])
    #expect(await log(Signal<Int>.from { throw CancellationError() }) == ["failed(CancellationError())"])
  }

  @Test func `a call, a sequence and an async sequence are told apart`() async {
    let (stream, elements) = AsyncStream<Int>.makeStream()
    elements.yield(1)
    elements.yield(2)
    elements.finish()
    let signals: [Signal<Int>] = [
      Signal.from([1, 2]), .from(1...2), Signal.from(stream), .from { try await double(1) }, .from { 3 },
    ]
    var logs: [[String]] = []
    for signal in signals { logs.append(await log(signal)) }
    let both = ["next(1)", "next(2)", "completed"]
    #expect(logs == [both, both, both, ["next(2)", "completed"], ["next(3)", "completed"]])
    // What is called is one value, whatever it is.
    let array = Signal.from { [1, 2] }
    #expect(await log(array) == ["next([1, 2])", "completed"])
  }

  @Test func `nothing is called before a subscription, and each one calls anew`() async {
    let calls = CallCounter()
    let signal = Signal.from { calls.next() }
    #expect(calls.count == 0)
    #expect(await log(signal) == ["next(1)", "completed"])
    #expect(await log(signal) == ["next(2)", "completed"])
  }

  @Test func `a retry calls again`() async {
    let calls = CallCounter()
    let signal = Signal.from {
      if calls.next() < 3 { throw Broken() }
      return "here"
    }
    #expect(await log(signal.retry(1)) == ["failed(Broken())"])
    #expect(await log(signal.retry(1)) == ["next(here)", "completed"])
  }

  @Test func `the disposal cancels the call, drops its result, and is over when the task is`() async {
    let (cancelled, stopped, started) = (AsyncGate(), AsyncGate(), AsyncGate())
    let release = BlockingGate()
    let received = CallCounter()
    let subscription = Signal.from {
      await withTaskCancellationHandler {
        started.open()
        await cancelled.wait()
        release.wait()
        return 1
      } onCancel: {
        cancelled.open()
      }
    }.subscribe { _ in
      received.next()
    } failed: { _ in
      received.next()
    } completed: {
      received.next()
    }
    await started.wait()
    subscription.dispose()
    #expect(subscription.isStopping)
    subscription.dispose(whenStopped: { stopped.open() })
    release.open()
    await stopped.wait()
    #expect(!subscription.isStopping)
    await subscription.drained()
    #expect(received.count == 0)
  }

  @Test func `a shared one calls again only when the call before is over`() async {
    let (started, cancelled) = (AsyncGate(), AsyncGate())
    let history = History()
    let release = BlockingGate()
    let calls = CallCounter()
    let signal = Signal.from {
      let call = calls.next()
      history.add("begin \(call)")
      if call == 1 {
        started.open()
        await withTaskCancellationHandler {
          await cancelled.wait()
        } onCancel: {
          cancelled.open()
        }
        release.wait()
      }
      history.add("end \(call)")
      return call
    }.shared()
    let first = signal.subscribe()
    await started.wait()
    first.dispose()
    let second = signal.subscribe { history.add("\($0)") }
    await cancelled.wait()
    #expect(history.log == ["begin 1"])
    release.open()
    await second.drained()
    #expect(history.log == ["begin 1", "end 1", "begin 2", "end 2", "2"])
  }

  @Test func `what the handlers hold is released after the end, while the subscription is held`() async {
    weak var held: CallCounter?
    let subscription: Subscription
    do {
      let received = CallCounter()
      held = received
      subscription = Signal.from { 1 }.subscribe { _ in received.next() }
    }
    await subscription.drained()
    #expect(held == nil)
  }

  @MainActor @Test func `it never runs on the main actor nor with the task locals of who subscribes`() async {
    let signal = Signal.from { "\(isMainQueue()) \(Local.value)" }
    let result = await Local.$value.withValue(1) { await log(signal) }
    #expect(result == ["next(false 0)", "completed"])
  }

  @MainActor @Test func `what belongs to an actor runs there`() async {
    let label = Label()
    #expect(await log(Signal.from { await label.read() }) == ["next(true)", "completed"])
  }
}

private enum Local { @TaskLocal static var value = 0 }

@MainActor private final class Label {
  func read() -> Bool { isMainQueue() }
}
