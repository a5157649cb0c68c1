/// A signal that you send into by hand.
///
/// It is hot: an observer gets what is sent after it subscribed, preceded by what `replay` says: the last values,
/// then the latest progress, then the terminal if there was one. A subject keeps its terminal for late subscribers.
///
/// Send from any thread and from inside handlers: all observers see one order. A send may return before its event
/// is delivered, namely when another thread is delivering, or when the sender is itself inside a handler of this
/// subject. A subscription inside a handler gets its replay when that handler has returned.
///
/// ```swift
/// let temperatures = Subject<Double>(replay: 1)
/// sensor.onReading = temperatures.send
/// temperatures.signal.subscribe { print($0) }
/// ```
public final class Subject<Value: Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: `entries` is touched only by the one who drains or, when nobody does, by who holds the lock; all else is
  // under the lock.
  @usableFromInline
  enum Item: Sendable {
    case next(Value)
    indirect case progress(ProgressUpdate)
    case end(End)
    case attach(SubjectEntry<Value>, Replay)
  }

  @usableFromInline
  struct Replay: Sendable {
    @usableFromInline var values: ContiguousArray<Value> = []
    @usableFromInline var progress: ProgressUpdate?
    @usableFromInline var end: End?
  }

  @usableFromInline
  struct State: Sendable {
    @usableFromInline var queue = DrainQueue<Item>()
    @usableFromInline var replay: ReplayBuffer<Value>
    @usableFromInline var progress: ProgressUpdate?
    @usableFromInline var end: End?
    /// Entries that left while somebody else was draining: the drainer takes them out.
    @usableFromInline var departed: ContiguousArray<SubjectEntry<Value>> = []

    @inlinable
    init(_ replay: ReplayBuffer<Value>) { self.replay = replay }
  }

  @usableFromInline let state: Lock<State>
  @exclusivity(unchecked) @usableFromInline var entries = SubjectEntries<Value>()

  /// Makes a subject that gives a newcomer the last `replay` values: 0 none, 1 the latest.
  @inlinable
  public init(replay: Int = 0) {
    precondition(replay >= 0, "Subject(replay:) takes 0 or more, not \(replay)")
    state = Lock(State(.last(replay)))
  }

  /// Makes a subject whose newcomers get what `store` gives them.
  package init(store: any ReplayStore<Value>) {
    state = Lock(State(.store(store)))
  }

  deinit {
    // A subscription that somebody still holds must not keep its handlers alive.
    for entry in entries.slots { entry?.observer = nil }
  }

  /// The signal of what is sent.
  public var signal: Signal<Value> {
    Signal(attaching: { [self] in add($0) })
  }

  @inlinable
  public override func send(_ value: Value) {
    // What the replay lets go of is released outside the lock.
    let (mine, _) = state.withLock { state -> (Bool, Value?) in
      guard state.end == nil else { return (false, nil) }
      let displaced = state.replay.remember(value)
      return (state.queue.enter(.next(value)), displaced)
    }
    if mine {
      deliver(value)
      // Mostly nothing came meanwhile: then the client's own specialised code is all that runs.
      if !state.withLock({ $0.departed.isEmpty && $0.queue.leaveIfEmpty() }) { drain() }
    }
  }

  public override func send(progress: ProgressUpdate) {
    submit(.progress(progress)) { $0.progress = progress }
  }

  public override func fail(_ error: any Error) {
    submit(.end(.failed(error))) { $0.end = .failed(error) }
  }

  public override func complete() {
    submit(.end(.completed)) { $0.end = .completed }
  }

  public override var isDisposed: Bool { state.withLock { $0.end != nil } }

  private func submit(_ item: Item, _ note: (inout State) -> Void) {
    let mine = state.withLock { state in
      guard state.end == nil else { return false }
      note(&state)
      return state.queue.enter(item)
    }
    if mine {
      process(item)
      drain()
    }
  }

  private func add(_ observer: Observer<Value>) -> any Disposable {
    let entry = SubjectEntry(self, observer)
    // Taken together with the place in the queue: what came before is in the replay, what comes later is delivered.
    let (mine, replay) = state.withLock { state in
      let replay = Replay(values: state.replay.values, progress: state.progress, end: state.end)
      return (state.queue.enter(.attach(entry, replay)), replay)
    }
    if mine {
      process(.attach(entry, replay))
      drain()
    }
    return entry
  }

  func remove(_ entry: SubjectEntry<Value>) {
    let isMine = state.withLock { state in
      if state.queue.isDraining {
        state.departed.append(entry)
        return false
      }
      entries.remove(entry)
      return true
    }
    // Without a drainer the observer is released here, outside the lock.
    if isMine { entry.observer = nil }
  }

  @inlinable
  func deliver(_ value: Value) {
    let entries = entries.slots
    for slot in entries where slot?.isActive == true { slot?.observer?.send(value) }
  }

  @usableFromInline
  func drain() {
    while true {
      let (item, departed) = state.withLock { state -> (Item?, ContiguousArray<SubjectEntry<Value>>) in
        let departed = state.departed
        if !departed.isEmpty {
          state.departed = []
          for entry in departed { entries.remove(entry) }
        }
        return (state.queue.next(), departed)
      }
      for entry in departed { entry.observer = nil }
      guard let item else { return }
      process(item)
    }
  }

  private func process(_ item: Item) {
    switch item {
    case .next(let value):
      deliver(value)
    case .progress(let update):
      for slot in entries.slots where slot?.isActive == true { slot?.observer?.send(progress: update) }
    case .end(let end):
      for case let entry? in entries.removeAll() where entry.isActive {
        entry.observer?.send(end: end)
      }
    case .attach(let entry, let replay):
      guard let observer = entry.observer else { return }
      for value in replay.values where entry.isActive { observer.send(value) }
      if let update = replay.progress, entry.isActive { observer.send(progress: update) }
      guard entry.isActive else { return }
      if let end = replay.end { observer.send(end: end) } else { entries.append(entry) }
    }
  }
}
