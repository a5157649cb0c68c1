/// Who has the event loop: a value that fits in one atomic word (`mqtt.md`, leader and follower).
///
/// One thread at a time owns the loop. While it runs code of the user it leaves the loop *open*, for a *stint*: then
/// the standby may take it. A stint that nobody took is closed by the thread that opened it, which goes on.
struct LoopOwnership: Equatable, RawRepresentable {
  /// Counts the stints, so that a thread finds out that the loop was taken from it, and a standby how long it lasts.
  private(set) var stint: UInt32 = 0
  /// Whether the owner runs code of the user.
  private(set) var isOpen = false
  /// Whether there is a standby.
  private(set) var hasStandby = false
  /// Whether the standby will look again by itself.
  private(set) var isWatched = false
  /// Whether something waits for the loop in this stint.
  private(set) var isAwaited = false
  /// Whether the standby is to take the loop in this stint, however short it is.
  private(set) var isUrgent = false
  /// Whether the loop has ended for good.
  private(set) var isOver = false

  init() {}

  init(rawValue: UInt64) {
    stint = UInt32(truncatingIfNeeded: rawValue >> 8)
    isOpen = rawValue & 1 != 0
    hasStandby = rawValue & 2 != 0
    isWatched = rawValue & 4 != 0
    isAwaited = rawValue & 8 != 0
    isOver = rawValue & 16 != 0
    isUrgent = rawValue & 32 != 0
  }

  var rawValue: UInt64 {
    UInt64(stint) << 8 | (isOpen ? 1 : 0) | (hasStandby ? 2 : 0) | (isWatched ? 4 : 0)
      | (isAwaited ? 8 : 0) | (isOver ? 16 : 0) | (isUrgent ? 32 : 0)
  }

  /// What a thread has to do for the standby.
  enum Call: Equatable {
    case nothing
    case wake
    /// There is none: start one.
    case start
  }

  /// The owner is about to run code of the user. `isUrgent`: the standby takes the loop as soon as it looks. A stint
  /// that is over before that is no reason to wait for a longer one: on a busy machine the standby is always late.
  mutating func open(isUrgent: Bool = false) -> Call {
    stint &+= 1
    isOpen = true
    isAwaited = isUrgent
    self.isUrgent = isUrgent
    guard hasStandby else {
      hasStandby = true
      isWatched = true
      return .start
    }
    if isWatched, !isUrgent { return .nothing }
    isWatched = true
    return .wake
  }

  /// The thread that opened `stint` is back. False when the loop was taken from it.
  mutating func close(_ stint: UInt32) -> Bool {
    guard isOpen, self.stint == stint else { return false }
    isOpen = false
    return true
  }

  /// Something that needs the loop has come, from another thread than the one that runs code of the user. (What that
  /// one brings is seen at the next look: it is likely to come back before.)
  mutating func ask() -> Call {
    guard isOpen, !isAwaited else { return .nothing }
    isAwaited = true
    return hasStandby ? .wake : .nothing
  }

  /// No thread could be started.
  mutating func standbyFailed() {
    hasStandby = false
    isWatched = false
  }

  /// A thread that has lost the loop offers to stand by. False: there is one, or nothing to stand by for.
  mutating func standBy() -> Bool {
    guard !hasStandby, !isOver else { return false }
    hasStandby = true
    isWatched = true
    return true
  }

  /// The owner ends the loop. True when there is a standby to be told.
  mutating func end() -> Call {
    isOver = true
    isOpen = false
    return hasStandby ? .wake : .nothing
  }

  fileprivate mutating func take() {
    isOpen = false
    hasStandby = false
    isWatched = false
  }

  fileprivate mutating func lookAway() {
    isWatched = false
  }
}

/// What the standby makes of what it sees, from look to look.
///
/// It takes a loop that stays open from one look to the next. It looks after a tick while there is traffic, after a
/// millisecond when something waits for the loop, and sleeps without an end when a tick went by without a stint.
struct StandbyWatch {
  enum Decision: Equatable {
    case take
    case look(after: Duration)
    case sleep
    case leave
  }

  static let tick = Duration.milliseconds(50)
  static let patience = Duration.milliseconds(1)

  private var stint: UInt32?

  /// `wasCalled`: the wait was cut short. `hasWork`: something waits to be sent, whoever put it there.
  mutating func look(_ ownership: inout LoopOwnership, wasCalled: Bool, hasWork: Bool) -> Decision {
    if ownership.isOver { return .leave }
    let isSame = stint == ownership.stint
    stint = ownership.stint
    guard ownership.isOpen else {
      guard isSame, !wasCalled else { return .look(after: Self.tick) }
      ownership.lookAway()
      return .sleep
    }
    if ownership.isUrgent || isSame && !wasCalled {
      ownership.take()
      return .take
    }
    return .look(after: ownership.isAwaited || hasWork ? Self.patience : Self.tick)
  }
}
