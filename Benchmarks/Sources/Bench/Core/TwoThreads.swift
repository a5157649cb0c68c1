import Dispatch
import Signals

extension CoreGroup {
  /// What a send costs when two threads send at once and all is delivered one after the other: a subject's drain
  /// loop against a floor that holds its mutex.
  func twoThreads(_ name: String, goal: Double) throws {
    let arena = Arena(observers: 1)
    let threads = [DispatchQueue(label: "bench.first"), DispatchQueue(label: "bench.second")]

    func onEach(_ count: Int, _ sink: Sink, _ send: @escaping @Sendable (Int) -> Void) {
      let group = DispatchGroup()
      for thread in threads {
        thread.async(group: group) {
          for value in 0..<count { send(value) }
        }
        sink.expect(count)
      }
      // A subject delivers on one of the two: when both have returned, all has arrived.
      group.wait()
    }

    let result = duel(operations: threads.count) { count in
      onEach(count, arena.oursSink) { [subject = arena.subject] in subject.send($0) }
    } floor: { count in
      onEach(count, arena.floorSink) { [floor = arena.floor] in floor.sendSerialised($0) }
    }
    try arena.check(name)
    report.add(Row(name, result, .ratio(goal)))
  }
}
