import Foundation
public import Signals

/// What a job says at `T/_progress`: the JSON of the wire format, or its short text.
///
/// Anybody may publish: a field of the wrong type or outside its range is unknown, control characters are dropped,
/// lengths are capped, unknown keys are ignored.
public struct ProgressMessage: Sendable, Hashable {
  /// Which run of the job; `nil` is the anonymous run.
  public var run: String?
  /// Rises within a run.
  public var sequence: Int?
  /// How far the work is.
  public var update: ProgressUpdate
  /// How often the worker promised to be heard, in seconds.
  public var every: Double?
  /// The worker's clock, in Unix seconds.
  public var time: Double?
  /// How the run ended: on its last progress only.
  public var outcome: JobState?

  /// Makes a message.
  public init(
    _ update: ProgressUpdate, run: String? = nil, sequence: Int? = nil, every: Double? = nil,
    time: Double? = nil, outcome: JobState? = nil
  ) {
    self.update = update
    self.run = run
    self.sequence = sequence
    self.every = every
    self.time = time
    self.outcome = outcome
  }

  /// Reads a payload: `nil` for an empty one, which forgets the job.
  public init?(payload: [UInt8]) throws {
    guard !payload.isEmpty else { return nil }
    if WireFields.looksLikeJSON(payload) {
      try self.init(WireFields(payload))
    } else {
      self.init(try ProgressUpdate(shortText: String(payload: payload)))
    }
  }

  private init(_ fields: WireFields) throws {
    try fields.checkVersion()
    let percent = fields.number("percent").flatMap { (0...100).contains($0) ? $0 : nil }
    update = ProgressUpdate(
      done: fields.number("done"), total: fields.number("total"), fraction: percent.map { $0 / 100 },
      unit: fields.text("unit", max: 16), message: fields.text("msg", max: 200),
      phase: fields.text("phase", max: 64), attempt: fields.integer("attempt") ?? 1,
      rate: fields.number("rate"),
      remaining: fields.number("eta").flatMap { (0...1e10).contains($0) ? .seconds($0) : nil },
      weight: fields.number("weight"))
    run = fields.text("run", max: 64)
    sequence = fields.integer("seq")
    every = fields.number("every")
    time = fields.number("ts")
    outcome = fields.text("final", max: 16).flatMap(JobState.init)
    if outcome?.isEnd == false { outcome = nil }
    update.isFinal = outcome != nil
  }

  /// The JSON to send.
  public func payload() throws -> [UInt8] {
    Array(
      try JSONEncoder.readable.encode(
        Wire(
          v: 1, run: run, seq: sequence, percent: percent, done: update.done,
          total: update.total, unit: update.unit.map { WireFields.oneLine($0, max: 16) },
          msg: update.message.map { WireFields.oneLine($0, max: 200) },
          phase: update.phase.map { WireFields.oneLine($0, max: 64) }, rate: update.rate,
          eta: update.remaining?.inSeconds,
          attempt: update.attempt > 1 ? update.attempt : nil, weight: update.weight, every: every, ts: time,
          final: outcome)))
  }

  private var percent: Double?? {
    if let fraction = update.fraction { return .some(Self.percent(fraction)) }
    return update.done == nil && update.message == nil ? .some(nil) : nil
  }

  /// Two decimals are more than any bar shows.
  private static func percent(_ fraction: Double) -> Double { (fraction * 10_000).rounded() / 100 }

  private struct Wire: Encodable {
    let v: Int
    let run: String?
    let seq: Int?
    /// Null when nothing at all is known: the job is busy.
    let percent: Double??
    let done: Double?
    let total: Double?
    let unit: String?
    let msg: String?
    let phase: String?
    let rate: Double?
    let eta: Double?
    let attempt: Int?
    let weight: Double?
    let every: Double?
    let ts: Double?
    let final: JobState?
  }
}

extension ProgressUpdate {
  /// Reads the short text of the wire format: `42` and `42%` are percent, `3/10 files` is done of total, `?` is busy.
  ///
  /// It is short: 256 bytes at most.
  public init(shortText text: String) throws {
    // Longer ones are not even looked at: matching a pattern can take time that is quadratic in the length.
    guard text.utf8.count <= 256, let update = Self.parse(text) else {
      throw PayloadError(
        "\"\(WireFields.oneLine(text, max: 40))\" is no progress: write 42, 42%, 3/10 files, ? or the JSON form"
      )
    }
    self = update
  }

  private static func parse(_ text: String) -> ProgressUpdate? {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    if text == "?" { return ProgressUpdate() }
    if let match = text.wholeMatch(of: /([0-9]+(?:\.[0-9]+)?)\s*%?/), let percent = Double(match.1) {
      return ProgressUpdate(fraction: percent / 100)
    }
    let ratio = /([0-9]+(?:\.[0-9]+)?)\/([0-9]+(?:\.[0-9]+)?)(?:\s+(.+))?/
    return text.wholeMatch(of: ratio).map { match in
      ProgressUpdate(
        done: Double(match.1), total: Double(match.2),
        unit: match.3.map { WireFields.oneLine(String($0), max: 16) })
    }
  }
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
