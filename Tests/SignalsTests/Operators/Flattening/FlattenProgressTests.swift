import Signals
import SignalsTesting
import Testing

@Suite struct FlattenProgressTests {
  private func fractions<Value>(_ recorder: Recorder<Value>) -> [Double?] {
    recorder.progress.map(\.fraction)
  }

  /// One subject for each value that the outer signal sends.
  private func inners(_ count: Int) -> [Subject<Int>] { (0..<count).map { _ in Subject<Int>() } }

  @Test func `merged signals are summed by weight, from the first progress of each`() {
    let (outer, inners) = (Subject<Int>(), inners(3))
    let recorder = Recorder(outer.signal.flatMap { inners[$0].signal })
    for index in 0..<3 { outer.send(index) }
    inners[0].send(progress: 0.5)
    inners[1].send(progress: ProgressUpdate(fraction: 1, weight: 3))
    inners[0].complete()
    inners[2].complete()
    #expect(fractions(recorder) == [0.5, 0.875, 1])
  }

  @Test func `with an expected number each is worth its share, silent ones too`() {
    for strategy in [FlattenStrategy.merge, .merge(max: 2), .concat] {
      let recorder = Recorder(
        Cold.values(0, 1, 2, 3).flatMap(strategy, expected: 4) { value in
          value == 1 ? .empty : Cold.progress(0.5)
        })
      #expect(fractions(recorder) == [0.125, 0.25, 0.5, 0.625, 0.75, 0.875, 1], "\(strategy)")
      #expect(recorder.hasEnded)
    }
  }

  @Test func `more than expected makes the whole grow, and it never falls`() {
    let (outer, inners) = (Subject<Int>(), inners(2))
    let recorder = Recorder(outer.signal.flatMap(expected: 1) { inners[$0].signal })
    outer.send(0)
    inners[0].send(progress: 0.5)
    outer.send(1)
    inners[0].send(progress: 0.75)
    inners[1].send(progress: 0.75)
    #expect(fractions(recorder) == [0.5, 0.5, 0.75])
  }

  @Test func `where one runs, its own progress passes unchanged`() {
    for strategy in [FlattenStrategy.concat, .latest, .exhaust] {
      let update = ProgressUpdate(done: 3, total: 10, unit: "files", rate: 2)
      let recorder = Recorder(Cold.values(0, 1).flatMap(strategy) { _ in Cold.progress(update, 0.9) })
      #expect(recorder.progress == [update, 0.9, update, 0.9], "\(strategy)")
    }
  }

  @Test func `late progress of a replaced signal is dropped`() {
    let outer = Subject<Int>()
    let kept = Lock<[Observer<Int>]>([])
    let recorder = Recorder(
      outer.signal.flatMap(.latest) { _ in
        .attaching { observer in
          kept.withLock { $0.append(observer) }
          return nil
        }
      })
    outer.send(0)
    outer.send(1)
    let (old, new) = kept.withLock { ($0[0], $0[1]) }
    #expect(old.isDisposed && !new.isDisposed)
    old.send(progress: 0.9)
    old.send(9)
    old.fail(Broken())
    new.send(progress: 0.1)
    new.complete()
    old.complete()
    outer.complete()
    #expect(recorder.log == ["progress(10%)", "completed"])
  }

  @Test func `the outer signal's progress counts like one more, or passes while none runs`() {
    let merged = Subject<Int>()
    let inner = Subject<Int>()
    let sum = Recorder(merged.signal.flatMap(expected: 1) { _ in inner.signal })
    merged.send(progress: 0.5)
    merged.send(progress: 1.0)
    merged.send(0)
    merged.complete()
    inner.send(progress: 0.5)
    inner.complete()
    #expect(fractions(sum) == [0.25, 0.5, 0.75, 1])

    let unknown = Subject<Int>()
    let second = Subject<Int>()
    let mean = Recorder(unknown.signal.flatMap { _ in second.signal })
    unknown.send(progress: 0.5)
    unknown.send(0)
    second.send(progress: 1.0)
    unknown.complete()
    #expect(fractions(mean) == [0.5, 0.75, 1])

    for strategy in [FlattenStrategy.concat, .latest, .exhaust] {
      let outer = Subject<Int>()
      let running = Subject<Int>()
      let recorder = Recorder(outer.signal.flatMap(strategy) { _ in running.signal })
      outer.send(progress: 0.25)
      outer.send(0)
      outer.send(progress: 0.5)
      running.send(progress: 0.75)
      running.complete()
      outer.send(progress: 1.0)
      outer.complete()
      #expect(recorder.log == ["progress(25%)", "progress(75%)", "progress(100%)", "completed"])
    }
  }

  @Test func `progress passes at once, in its place between the values`() {
    let inner = Subject<Int>()
    let recorder = Recorder(Cold.values(0).flatMap(.concat) { _ in inner.signal })
    inner.send(1)
    inner.send(progress: 0.5)
    inner.send(2)
    inner.complete()
    #expect(recorder.log == ["next(1)", "progress(50%)", "next(2)", "completed"])
  }
}
