import SignalBox

/// A broker that could not be reached, or would not have us.
struct Unreachable: Error, CustomStringConvertible {
  let description: String
}

/// Runs `body` with a bus that is connected; closes it on every way out.
func withConnectedBus<Result>(
  _ flags: ConnectionFlags, isolation: isolated (any Actor)? = #isolation,
  _ body: (Bus) async throws -> Result
) async throws -> Result {
  let bus = try Bus(flags.options)
  do {
    do throws(ConnectionError) {
      try await bus.connect()
    } catch {
      throw Unreachable(description: "\(error)")
    }
    let link = bus.state.subscribe(LinkNotice().look)
    let result = try await body(bus)
    link.dispose()
    // Somebody who has pressed Ctrl-C does not wait for a broker that hangs.
    await bus.close(deadline: Task.isCancelled ? .seconds(1) : .seconds(5))
    return result
  } catch {
    await bus.close(deadline: .zero)
    throw error
  }
}

/// Says on standard error that the link broke, and that it is back.
private final class LinkNotice: Sendable {
  private let isBroken = Lock(false)

  func look(_ state: ConnectionState) {
    switch state {
    case .waiting(_, let cause):
      if !isBroken.withLock({ exchange(&$0, true) }) { diagnose("\(cause); trying again") }
    case .connected:
      if isBroken.withLock({ exchange(&$0, false) }) { diagnose("connected again") }
    case .idle, .connecting, .closed:
      break
    }
  }

  private func exchange(_ value: inout Bool, _ new: Bool) -> Bool {
    defer { value = new }
    return value
  }
}

/// Runs `body` until it returns or somebody asks the process to end: then its task is cancelled. The exit code.
func untilInterrupted(_ body: @escaping @Sendable () async throws -> Void) async throws -> Int32 {
  let signals = await endSignals()
  return try await withThrowingTaskGroup(of: Int32.self) { group in
    group.addTask {
      try await body()
      return ExitCode.success
    }
    group.addTask {
      for await number in signals { return number == 2 ? ExitCode.interrupted : 128 + number }
      return ExitCode.success
    }
    defer { group.cancelAll() }
    return try await group.next() ?? ExitCode.success
  }
}
