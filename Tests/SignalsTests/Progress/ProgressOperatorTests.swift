import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct ProgressOperatorTests {
  /// What comes out of `apply` when `updates` go in.
  private func progress(
    _ updates: [ProgressUpdate], _ apply: (Signal<Int>) -> Signal<Int>
  ) -> [ProgressUpdate] {
    let subject = Subject<Int>()
    let recorder = Recorder(apply(subject.signal))
    for update in updates { subject.send(progress: update) }
    return recorder.progress
  }

  @Test func `mapProgress drops what becomes nil and keeps the rest of the stream`() {
    let subject = Subject<Int>()
    let recorder = Recorder(
      subject.signal.mapProgress { update in
        guard let fraction = update.fraction, fraction < 0.5 else { return nil }
        return ProgressUpdate(fraction: fraction * 2)
      })
    subject.send(progress: 0.25)
    subject.send(1)
    subject.send(progress: 0.75)
    subject.complete()
    #expect(recorder.log == ["progress(50%)", "next(1)", "completed"])
  }

  @Test func `a weight is stamped on what has none and on what has another`() {
    let updates = [ProgressUpdate(done: 1, total: 4, message: "a"), ProgressUpdate(weight: 9)]
    let weighted = progress(updates) { $0.weighted(by: 2.5) }
    #expect(weighted.map(\.weight) == [2.5, 2.5])
    #expect(weighted[0] == ProgressUpdate(done: 1, total: 4, message: "a", weight: 2.5))
  }

  @Test func `merge counts by the weights`() {
    let (small, large) = (Subject<Int>(), Subject<Int>())
    let weighed = Recorder(small.signal.merge(with: large.signal.weighted(by: 3)))
    large.send(progress: 0.25)
    small.send(progress: 0.75)
    #expect(weighed.progress.map(\.fraction) == [0.25, 0.375])
  }

  @Test func `progressUpdates has no progress of its own`() {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal.progressUpdates())
    subject.send(1)
    subject.send(progress: ProgressUpdate(fraction: 0.5, message: "a"))
    subject.fail(Broken())
    #expect(recorder.log == ["next(50% a)", "failed(Broken())"])
    #expect(recorder.values == [ProgressUpdate(fraction: 0.5, message: "a")])
  }

  @Test func `onlyProgress can be merged with signals of its kind`() {
    let (work, values) = (Subject<Int>(), Subject<Int>())
    let recorder = Recorder(values.signal.merge(with: work.signal.onlyProgress()))
    work.send(1)
    work.send(progress: 0.5)
    values.send(2)
    #expect(recorder.log == ["progress(50%)", "next(2)"])
  }

  @Test func `countingProgress counts values and replaces the progress of its source`() {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal.countingProgress(total: 2, unit: "files"))
    subject.send(progress: 0.9)
    for value in 1...3 { subject.send(value) }
    subject.complete()
    #expect(
      recorder.log == [
        "next(1)", "progress(50% 1/2 files)", "next(2)", "progress(100% 2/2 files)", "next(3)",
        "progress(100% 3/2 files)", "completed",
      ])
    #expect(Recorder(Signal.just(7).countingProgress()).log == ["next(7)", "progress(1)", "completed"])
    #expect(Recorder(Signal.just(7).countingProgress(total: 0)).progress.map(\.fraction) == [nil])
  }
}

@Suite struct MonotonicTests {
  @Test func `the fraction does not fall within an attempt, and may with a new one`() {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal.monotonic())
    let updates: [ProgressUpdate] = [
      0.2, 0.8, 0.4, ProgressUpdate(message: "unknown"), 0.9, ProgressUpdate(fraction: 0.1, attempt: 2),
      ProgressUpdate(fraction: 0.05, attempt: 2), ProgressUpdate(fraction: 0.95, attempt: 1),
      ProgressUpdate(fraction: 0.0, attempt: 4),
    ]
    for update in updates { subject.send(progress: update) }
    #expect(recorder.progress.map(\.fraction) == [0.2, 0.8, 0.8, nil, 0.9, 0.1, 0.1, 0])
    #expect(recorder.progress.map(\.attempt) == [1, 1, 1, 1, 1, 2, 2, 4])
  }

  @Test func `a total that grows lowers no fraction, and the counts stay true`() {
    let subject = Subject<Int>()
    let recorder = Recorder(subject.signal.monotonic())
    subject.send(progress: ProgressUpdate(done: 5, total: 10, unit: "files"))
    subject.send(progress: ProgressUpdate(done: 6, total: 100, unit: "files", message: "more"))
    #expect(recorder.progress.first == ProgressUpdate(done: 5, total: 10, unit: "files"))
    #expect(
      recorder.progress.last
        == ProgressUpdate(done: 6, total: 100, fraction: 0.5, unit: "files", message: "more"))
  }

  @Test func `every short sequence of updates keeps the rules`() {
    let steps = [1, 2, 3].flatMap { attempt in
      [nil, 0.0, 0.3, 0.7].map { ProgressUpdate(fraction: $0, attempt: attempt) }
    }
    var explored = 0
    func explore(_ history: [ProgressUpdate], _ depth: Int) {
      if !history.isEmpty {
        explored += 1
        let subject = Subject<Int>()
        let recorder = Recorder(subject.signal.monotonic())
        for update in history { subject.send(progress: update) }
        #expect(recorder.progress == expected(history), "\(history.map { ($0.attempt, $0.fraction) })")
      }
      guard depth > 0 else { return }
      for step in steps { explore(history + [step], depth - 1) }
    }
    /// From its definition: the highest so far of those of the same attempt, where none is newer.
    func expected(_ history: [ProgressUpdate]) -> [ProgressUpdate] {
      history.indices.compactMap { index in
        let soFar = history[...index]
        var update = history[index]
        guard soFar.allSatisfy({ $0.attempt <= update.attempt }) else { return nil }
        if update.fraction != nil {
          update.fraction = soFar.filter { $0.attempt == update.attempt }.compactMap(\.fraction).max()
        }
        return update
      }
    }
    explore([], 4)
    #expect(explored > 10_000)
  }
}
