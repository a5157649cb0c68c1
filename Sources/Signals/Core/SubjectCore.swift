internal import Synchronization

/// The part of a subject's core that does not know the type of its values: coming and going cost no look-up of
/// generic types.
@usableFromInline
class SubjectCoreBase: @unchecked Sendable {
  // Sound: `slots` is touched only by the one who has the turn.
  @usableFromInline final let turn = Turn()
  @exclusivity(unchecked) @usableFromInline final var slots = SubjectSlots()

  init() {}

  deinit { slots.deallocate() }

  final func detach(_ entry: SubjectEntry) {
    guard turn.tryEnter() else { return detachLater(entry) }
    // Let go of after the turn.
    let observer = slots.remove(entry)
    if !turn.leave() { drain() }
    _ = consume observer
  }

  func detachLater(_ entry: SubjectEntry) {}
  @usableFromInline func drain() {}
}

/// What a subject is made of. Apart from the subject, which its observers must not keep alive.
///
/// Everything that happens to it is an item of one drain loop: sends, terminals, comings and goings. So a newcomer's
/// replay is exact: what came before it is in the replay, what comes later is delivered.
@usableFromInline
final class SubjectCore<Value: Sendable>: SubjectCoreBase, @unchecked Sendable {
  // Sound: `replay`, `progress`, `end` and the flags are touched only by the one who has the turn.
  private enum Item: Sendable {
    case next(Value)
    indirect case progress(ProgressUpdate)
    case end(End)
    case attach(Observer<Value>, SubjectEntry)
    case detach(SubjectEntry)
    /// The subject is gone: nobody will send any more.
    case close

    var isProgress: Bool { if case .progress = self { true } else { false } }
  }

  @usableFromInline static var remembersValues: UInt8 { 1 }
  @usableFromInline static var hasEnded: UInt8 { 2 }

  /// What a send has to look after, mostly nothing: values to remember, a terminal that has come.
  @exclusivity(unchecked) @usableFromInline var concerns: UInt8
  /// Whether a newcomer gets anything.
  @exclusivity(unchecked) private var replays: Bool
  @exclusivity(unchecked) private var replay: ReplayBuffer<Value>
  @exclusivity(unchecked) private var progress: ProgressUpdate?
  @exclusivity(unchecked) private var end: End?
  private let waiting = WaitingItems<Item>()
  /// A terminal was sent: for others than the one with the turn.
  private let willEnd = Atomic(false)
  private let dropped = Atomic(0)

  @usableFromInline
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
    guard turn.tryEnter() else { return sendLater(value) }
    if concerns == 0 { deliver(value) } else { deliverWithCare(value) }
    // Mostly nothing came meanwhile: then the client's own specialised code is all that runs.
    if !turn.leave() { drain() }
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

  // MARK: Everything else

  @usableFromInline
  func deliverWithCare(_ value: Value) {
    guard concerns & Self.hasEnded == 0 else { return countDrop() }
    let displaced = replay.remember(value)
    deliver(value)
    _ = consume displaced
  }

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
    if !turn.leave() { drain() }
    return entry
  }

  func close() { submit(.close) }

  override func detachLater(_ entry: SubjectEntry) { enqueue(.detach(entry)) }

  @usableFromInline
  func sendLater(_ value: Value) { enqueue(.next(value)) }

  private func submit(_ item: Item) {
    guard turn.tryEnter() else { return enqueue(item) }
    process(item)
    if !turn.leave() { drain() }
  }

  /// Somebody has the turn: it will handle the item. Progress that waits is replaced by newer progress.
  private func enqueue(_ item: Item) {
    let isProgress = item.isProgress
    guard let item = waiting.add(item, turn, replaces: { isProgress && $0.isProgress }) else { return }
    process(item)
    drain()
  }

  @usableFromInline
  override func drain() {
    while let item = waiting.next(turn) { process(item) }
  }

  private func countDrop() { dropped.add(1, ordering: .relaxed) }

  private func process(_ item: Item) {
    switch item {
    case .next(let value):
      if concerns == 0 { deliver(value) } else { deliverWithCare(value) }
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
      slots.removeAll().deallocate()
    }
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
      for value in replay.values where !observer.isDisposed { observer.send(value) }
      if let progress { observer.send(progress: progress) }
      if let end { return observer.send(end: end) }
    }
    slots.append(observer, entry)
  }
}
