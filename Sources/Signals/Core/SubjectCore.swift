internal import Synchronization

/// What a subject is made of. Apart from the subject, which its observers must not keep alive.
///
/// Everything that happens to it is an item of one drain queue: sends, terminals, comings and goings. So a newcomer's
/// replay is exact: what came before it is in the replay, what comes later is delivered.
@usableFromInline
final class SubjectCore<Value: Sendable>: @unchecked Sendable {
  // Sound: `slots`, `replay`, `progress` and `end` are touched only by the one who has the turn of `queue`.
  @usableFromInline
  enum Item: Sendable {
    case next(Value)
    indirect case progress(ProgressUpdate)
    case end(End)
    case attach(Observer<Value>, SubjectEntry<Value>)
    case detach(SubjectEntry<Value>)
    /// The subject is gone: nobody will send any more.
    case close

    var isProgress: Bool { if case .progress = self { true } else { false } }
  }

  @usableFromInline let queue = DrainQueue<Item>()
  @exclusivity(unchecked) @usableFromInline var slots = SubjectSlots<Value>()
  @exclusivity(unchecked) @usableFromInline var replay: ReplayBuffer<Value>
  @exclusivity(unchecked) private var progress: ProgressUpdate?
  @exclusivity(unchecked) private var end: End?
  @exclusivity(unchecked) @usableFromInline var hasEnded = false
  /// The same for others than the one with the turn, and as soon as a terminal was sent.
  private let willEnd = Atomic(false)
  private let dropped = Atomic(0)

  @usableFromInline
  init(_ replay: ReplayBuffer<Value>) { self.replay = replay }

  deinit { slots.deallocate() }

  var isEnded: Bool { willEnd.load(ordering: .acquiring) }

  /// How much came after the terminal.
  var droppedCount: Int { dropped.load(ordering: .relaxed) }

  // MARK: Hot path

  @inlinable
  func send(_ value: Value) {
    guard queue.tryEnter() else { return enqueue(.next(value)) }
    deliver(value)
    // Mostly nothing came meanwhile: then the client's own specialised code is all that runs.
    if !queue.leave() { drain() }
  }

  @inlinable
  func deliver(_ value: Value) {
    guard !hasEnded else { return countDrop() }
    let displaced = replay.remember(value)
    let slots = slots.slots
    var index = 0
    let count = self.slots.count
    while index < count {
      // Without a retain: only a later item of the queue can take it out.
      slots[index].observer?._withUnsafeGuaranteedRef { $0.send(value) }
      index += 1
    }
    _ = consume displaced
  }

  // MARK: Everything else

  func send(progress: ProgressUpdate) { submit(.progress(progress)) }

  func send(end: End) {
    willEnd.store(true, ordering: .releasing)
    submit(.end(end))
  }

  func attach(_ observer: Observer<Value>) -> SubjectEntry<Value> {
    let entry = SubjectEntry(self)
    // Mostly nobody has the turn: then it takes no item.
    guard queue.tryEnter() else {
      enqueue(.attach(observer, entry))
      return entry
    }
    add(observer, entry)
    if !queue.leave() { drain() }
    return entry
  }

  func detach(_ entry: SubjectEntry<Value>) {
    guard queue.tryEnter() else { return enqueue(.detach(entry)) }
    remove(entry)
    if !queue.leave() { drain() }
  }

  func close() { submit(.close) }

  private func submit(_ item: Item) {
    guard queue.tryEnter() else { return enqueue(item) }
    process(item)
    if !queue.leave() { drain() }
  }

  /// Somebody has the turn: it will handle the item. Progress that waits is replaced by newer progress.
  @usableFromInline
  func enqueue(_ item: Item) {
    let isProgress = item.isProgress
    guard let item = queue.enqueue(item, replaces: { isProgress && $0.isProgress }) else { return }
    process(item)
    drain()
  }

  @usableFromInline
  func drain() {
    while let item = queue.next() { process(item) }
  }

  @usableFromInline
  func countDrop() { dropped.add(1, ordering: .relaxed) }

  private func process(_ item: Item) {
    switch item {
    case .next(let value):
      deliver(value)
    case .progress(let update):
      guard !hasEnded else { return countDrop() }
      progress = update
      for index in 0..<slots.count {
        slots.slots[index].observer?._withUnsafeGuaranteedRef { $0.send(progress: update) }
      }
    case .end(let end):
      guard !hasEnded else { return countDrop() }
      hasEnded = true
      self.end = end
      let ended = removeAll()
      for index in 0..<ended.count {
        ended.slots[index].observer?._withUnsafeGuaranteedRef { $0.send(end: end) }
      }
      ended.deallocate()
    case .attach(let observer, let entry):
      add(observer, entry)
    case .detach(let entry):
      remove(entry)
    case .close:
      removeAll().deallocate()
    }
  }

  private func add(_ observer: Observer<Value>, _ entry: SubjectEntry<Value>) {
    if !replay.isEmpty {
      for value in replay.values where !observer.isDisposed { observer.send(value) }
    }
    if let progress { observer.send(progress: progress) }
    if let end { observer.send(end: end) } else { slots.append(observer, entry) }
  }

  private func remove(_ entry: SubjectEntry<Value>) {
    let observer = slots.remove(entry)
    _ = consume observer
  }

  private func removeAll() -> SubjectSlots<Value> {
    let all = slots
    slots = SubjectSlots()
    all.forgetSlots()
    return all
  }
}
