/// Which version of MQTT one host is asked for.
///
/// A broker that knows only MQTT 3.1.1 should say so when it is asked for MQTT 5 (MQTT 3.1.1, 3.1.2.2), and is believed
/// until it says otherwise. Some close the link, never answer, or answer with what is no packet of MQTT 5. Such a host
/// is asked for the other version next, and so on in turn. That is a guess: a broker that is starting up, or a proxy
/// before one, does the same for a while. So it holds for one link only, after which MQTT 5 is asked for again, and
/// nothing is guessed about a host that has ever accepted MQTT 5.
struct VersionChoice {
  /// What a broker's refusal of the version leads to.
  enum Refusal: Equatable {
    /// Ask the same address again at once, for what is now the ``VersionChoice/version``.
    case askAgain
    /// The next visit may end better.
    case later
    /// It takes no version that may be asked for.
    case final
  }

  private let wanted: ProtocolVersion
  /// What to ask for now.
  private(set) var version: ProtocolVersion
  /// What the next address is asked for first.
  private var first: ProtocolVersion
  /// What the next visit begins with.
  private var next: ProtocolVersion
  /// What the broker said by name that it takes, or what was asked for.
  private var known: ProtocolVersion
  private var hasAcceptedWanted = false
  private var isVisitNew = true
  /// What the present address was asked for, and what it refused by name.
  private var tried: Set<ProtocolVersion> = []
  private var refused: Set<ProtocolVersion> = []

  init(_ wanted: ProtocolVersion) {
    self.wanted = wanted
    (version, first, next, known) = (wanted, wanted, wanted, wanted)
  }

  /// Why the version is lower than asked for, if it is.
  var fallback: Session.Fallback? {
    version == wanted ? nil : version == known ? .refused : .unanswered
  }

  /// The host's turn has come.
  mutating func beginVisit() {
    isVisitNew = true
  }

  /// An address of it is about to be asked for the first time in this visit.
  mutating func beginAddress() {
    if isVisitNew {
      first = next
      next = known
      isVisitNew = false
    }
    version = first
    tried = [version]
    refused = []
  }

  /// The broker refused the version by name.
  mutating func refuse() -> Refusal {
    guard wanted == .v5 else { return .final }
    refused.insert(version)
    if refused.contains(version.other) { return .final }
    // Back to MQTT 5, too, when the broker behind the address was replaced by one that knows nothing else.
    (known, first, next) = (version.other, version.other, version.other)
    return askOther() ? .askAgain : .later
  }

  /// The broker ended the greeting without an answer. Returns whether to ask the same address again at once, for what
  /// is now the ``version``.
  mutating func endWithoutAnswer() -> Bool { mayGuess && askOther() }

  /// The deadline passed without an answer. Waiting for it once more at each address would keep other hosts waiting, so
  /// the other version comes with the next visit.
  mutating func timeOut() {
    if mayGuess { next = version.other }
  }

  mutating func accept() {
    if version == wanted { hasAcceptedWanted = true }
    next = known
  }

  /// A version that the broker named is not doubted.
  private var mayGuess: Bool { wanted == .v5 && known == .v5 && !hasAcceptedWanted }

  private mutating func askOther() -> Bool {
    guard tried.insert(version.other).inserted else { return false }
    version = version.other
    return true
  }
}

extension ProtocolVersion {
  fileprivate var other: ProtocolVersion { self == .v5 ? .v311 : .v5 }
}
