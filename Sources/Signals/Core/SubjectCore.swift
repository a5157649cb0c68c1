internal import Synchronization

/// The part of a subject's core that does not know the type of its values: coming and going cost no look-up of
/// generic types.
@usableFromInline
class SubjectCoreBase: @unchecked Sendable {
  // Sound: `slots` is touched only by the one who has the turn.
  @usableFromInline final let turn = Turn()
  @exclusivity(unchecked) @usableFromInline final var slots = SubjectSlots()

  @usableFromInline init() {}

  deinit { slots.deallocate() }

  final func detach(_ entry: SubjectEntry) {
    guard turn.tryEnter() else { return detachLater(entry) }
    // Let go of after the turn.
    let observer = slots.remove(entry)
    if !turn.leave() { drain() }
    _ = consume observer
  }

  func detachLater(_ entry: SubjectEntry) {}
  func drain() {}
}

/// What a subject is made of. Apart from the subject, which its observers must not keep alive.
///
/// Everything that happens to it is an item of one drain loop: sends, terminals, comings and goings. So a newcomer's
/// replay is exact: what came before it is in the replay, what comes later is delivered.
@usableFromInline
final class SubjectCore<Value: Sendable>: SubjectCoreBase, @unchecked Sendable {
  // Sound: what is not atomic or guards itself is touched only by the one who has the turn.
  @usableFromInline
  enum Item: Sendable {
    case next(Value)
    indirect case progress(ProgressUpdate)
    case end(End)
    case attach(Observer<Value>, SubjectEntry)
    case detach(SubjectEntry)
    /// The subject is gone: nobody will send any more.
    case close

    @inlinable var isProgress: Bool { if case .progress = self { true } else { false } }
  }

  @usableFromInline static var remembersValues: UInt8 { 1 }
  @usableFromInline static var hasEnded: UInt8 { 2 }

  /// What a send has to look after, mostly nothing: values to remember, a terminal that has come.
  @exclusivity(unchecked) @usableFromInline var concerns: UInt8
  /// Whether a newcomer gets anything.
  @exclusivity(unchecked) @usableFromInline var replays: Bool
  @exclusivity(unchecked) @usableFromInline var replay: ReplayBuffer<Value>
  @exclusivity(unchecked) private var progress: ProgressUpdate?
  @exclusivity(unchecked) private var end: End?
  /// What a terminal ends before it is delivered, where the core belongs to one subscription.
  @exclusivity(unchecked) private var link: Subscription?
  @usableFromInline let waiting = WaitingItems<Item>()
  /// What waited and is being handled.
  @exclusivity(unchecked) @usableFromInline var batch = Ring<Item>()
  /// A terminal was sent: for others than the one with the turn.
  private let willEnd = Atomic(false)
  private let dropped = Atomic(0)

  @inlinable
  init(_ replay: ReplayBuffer<Value>) {
    self.replay = replay
    concerns = replay.isUsed ? Self.remembersValues : 0
    replays = replay.isUsed
    super.init()
  }

  var isEnded: Bool { willEnd.load(ordering: .acquiring) }

  /// How much came after the terminal.
  var droppedCount: Int { dropped.load(ordering: .relaxed) }

  // MARK: Hot path

  @inlinable
  func send(_ value: Value) {
    guard turn.tryEnter() else { return enqueue(.next(value)) }
    if concerns == 0 { deliver(value) } else { deliverWithCare(value) }
    // Mostly nothing came meanwhile: then the client's own specialised code is all that runs.
    if !turn.leave() { drainBatches() }
  }

  /// Somebody has the turn: it will handle the item. Progress that waits is replaced by newer progress.
  @inlinable
  func enqueue(_ item: Item) {
    let isProgress = item.isProgress
    let mine = waiting.add(item, turn) { isProgress && $0.isProgress ? .replace : .stop }
    guard let item = mine else { return }
    process(item)
    drainBatches()
  }

  @inlinable
  func drainBatches() {
    while waiting.takeAll(turn, into: &batch) {
      while let item = batch.popFirst() { process(item) }
      batch.trim()
    }
  }

  @inlinable
  func process(_ item: Item) {
    guard case .next(let value) = item else { return processOther(item) }
    if concerns == 0 { deliver(value) } else { deliverWithCare(value) }
  }

  @inlinable
  func deliver(_ value: Value) {
    let slots = slots.slots
    let count = self.slots.count
    var index = 0
    while index < count {
      // Without a retain: only a later item can take it out.
      slots[index].observer?._withUnsafeGuaranteedRef {
        unsafeDowncast($0, to: Observer<Value>.self).send(value)
      }
      index += 1
    }
  }

  // Not inlined, but compiled for the client's type: else remembering a value costs several times as much.
  @inlinable @inline(never)
  func deliverWithCare(_ value: Value) {
    guard concerns & Self.hasEnded == 0 else { return countDrop() }
    let displaced = replay.remember(value)
    deliver(value)
    _ = consume displaced
  }

  // MARK: Everything else

  func send(progress: ProgressUpdate) { submit(.progress(progress)) }

  func send(end: End) {
    willEnd.store(true, ordering: .releasing)
    submit(.end(end))
  }

  func attach(_ observer: Observer<Value>) -> SubjectEntry {
    let entry = SubjectEntry(self)
    guard turn.tryEnter() else {
      enqueue(.attach(observer, entry))
      return entry
    }
    attach(observer, entry)
    if !turn.leave() { drainBatches() }
    return entry
  }

  /// For a core that nobody else knows yet: it has this observer from the beginning to the end.
  @usableFromInline
  func attachOnly(_ observer: Observer<Value>, _ link: Subscription) {
    self.link = link
    slots.append(observer, nil)
  }

  func close() { submit(.close) }

  override func detachLater(_ entry: SubjectEntry) { enqueue(.detach(entry)) }

  private func submit(_ item: Item) {
    guard turn.tryEnter() else { return enqueue(item) }
    process(item)
    if !turn.leave() { drainBatches() }
  }

  override func drain() { drainBatches() }

  @usableFromInline
  func countDrop() { dropped.add(1, ordering: .relaxed) }

  @usableFromInline
  func processOther(_ item: Item) {
    switch item {
    case .next:
      break
    case .progress(let update):
      guard concerns & Self.hasEnded == 0 else { return countDrop() }
      progress = update
      replays = true
      deliver { $0.send(progress: update) }
    case .end(let end):
      guard concerns & Self.hasEnded == 0 else { return countDrop() }
      concerns |= Self.hasEnded
      replays = true
      self.end = end
      let ended = slots.removeAll()
      // A disposal that came first wins over the terminal.
      let link = link.take()
      if let link, !link.end() { return ended.deallocate() }
      for index in 0..<ended.count {
        ended.slots[index].observer?._withUnsafeGuaranteedRef {
          unsafeDowncast($0, to: Observer<Value>.self).send(end: end)
        }
      }
      ended.deallocate()
    case .attach(let observer, let entry):
      attach(observer, entry)
    case .detach(let entry):
      let observer = slots.remove(entry)
      _ = consume observer
    case .close:
      let link = link.take()
      slots.removeAll().deallocate()
      // A subscription that somebody holds keeps the core.
      if replays { forget() }
      _ = consume link
    }
  }

  private func forget() {
    (progress, end) = (nil, nil)
    replay = .last(0)
  }

  private func deliver(_ send: (Observer<Value>) -> Void) {
    for index in 0..<slots.count {
      slots.slots[index].observer?._withUnsafeGuaranteedRef {
        send(unsafeDowncast($0, to: Observer<Value>.self))
      }
    }
  }

  private func attach(_ observer: Observer<Value>, _ entry: SubjectEntry) {
    if replays {
      for value in replay.values(for: observer) where !observer.isDisposed { observer.send(value) }
      if let progress { observer.send(progress: progress) }
      if let end { return observer.send(end: end) }
    }
    slots.append(observer, entry)
  }
}
