import Signals

/// How progress is thinned out on its way to the wire, as a pure value type: the first at once, then at most one in
/// each interval, only if something visible changed, and always the latest.
///
/// While a timer is armed a report only replaces what waits: that is what makes reporting in a tight loop cheap.
struct ProgressThrottle: Sendable {
  enum Action: Equatable, Sendable {
    case nothing
    case send(ProgressUpdate)
    /// Say `fired` after this time.
    case arm(Duration)
  }

  let interval: Duration
  private(set) var latest: ProgressUpdate?
  private var sent: ProgressUpdate?
  private var sentAt: Duration?
  private var isArmed = false

  init(interval: Duration = .milliseconds(250)) { self.interval = interval }

  /// `now` is asked for only when it matters.
  mutating func report(_ update: ProgressUpdate, now: () -> Duration) -> Action {
    latest = update
    if isArmed { return .nothing }
    guard update.isVisiblyDifferent(from: sent) else { return .nothing }
    let now = now()
    guard let sentAt, now - sentAt < interval else { return send(update, now) }
    isArmed = true
    return .arm(sentAt + interval - now)
  }

  /// The time of the last `arm` has passed.
  mutating func fired(now: Duration) -> Action {
    isArmed = false
    guard let latest, latest.isVisiblyDifferent(from: sent) else { return .nothing }
    return send(latest, now)
  }

  private mutating func send(_ update: ProgressUpdate, _ now: Duration) -> Action {
    sent = update
    sentAt = now
    return .send(update)
  }
}

extension ProgressUpdate {
  /// A tenth of a percent is visible, and any text; a count only where there is no percentage.
  fileprivate func isVisiblyDifferent(from other: ProgressUpdate?) -> Bool {
    guard let other else { return true }
    return fraction.map { ($0 * 1000).rounded(.down) } != other.fraction.map { ($0 * 1000).rounded(.down) }
      || fraction == nil && done != other.done || total != other.total || message != other.message
      || phase != other.phase || unit != other.unit || attempt != other.attempt
  }
}
