import CThreads
import Signals

extension CoreGroup {
  /// What a send costs when two threads send at once and all is delivered one after the other: a subject's drain
  /// loop against a floor that holds its mutex.
  func twoThreads(_ name: String, goal: Double) throws {
    let arena = Arena(observers: 1)

    func onEach(_ count: Int, _ sink: Sink, _ send: (Int) -> Void) {
      onTwoThreads {
        for value in 0..<count { send(value) }
      }
      // A subject delivers on one of the two: when both have returned, all has arrived.
      sink.expect(count, to: 2)
    }

    var duel = duel
    // How often the two run into each other differs much from round to round.
    duel.rounds *= 3
    let result = duel(operations: 2) { count in
      onEach(count, arena.oursSink) { arena.subject.send($0) }
    } floor: { count in
      onEach(count, arena.floorSink) { arena.floor.sendSerialised($0) }
    }
    try arena.check(name)
    report.add(Row(name, result, .ratio(goal)))
  }
}

/// Runs `body` twice, at once.
private func onTwoThreads(_ body: () -> Void) {
  withoutActuallyEscaping(body) { body in
    withUnsafePointer(to: body) { body in
      let isRun = signalbox_run_on_two_threads(
        { $0?.assumingMemoryBound(to: (() -> Void).self).pointee() }, UnsafeMutableRawPointer(mutating: body))
      precondition(isRun, "the system has no thread left for the benchmark: end other programs")
    }
  }
}
