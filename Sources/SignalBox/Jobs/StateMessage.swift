import Foundation

/// What a job says at `T/_state`: the JSON of the wire format, or the bare word.
public struct StateMessage: Sendable, Hashable {
  /// Where the job stands.
  public var state: JobState
  /// Which run of the job; `nil` is the anonymous run.
  public var run: String?
  /// When the run began, in Unix seconds.
  public var started: Double?
  /// When the run ended, in Unix seconds.
  public var ended: Double?
  /// What the job is, for people.
  public var title: String?
  /// The machine it runs on.
  public var host: String?
  /// The exit status of a program.
  public var exit: Int?
  /// Why it failed, in one line.
  public var error: String?
  /// How many values the run has published: known at its end.
  public var values: Int?
  /// How often the worker promised to be heard, in seconds.
  public var every: Double?

  /// Makes a message.
  public init(_ state: JobState, run: String? = nil) {
    self.state = state
    self.run = run
  }

  /// Reads a payload: `nil` for an empty one, which forgets the job.
  public init?(payload: [UInt8]) throws {
    guard !payload.isEmpty else { return nil }
    if WireFields.looksLikeJSON(payload) {
      try self.init(WireFields(payload))
    } else {
      let word = try String(payload: payload).trimmingCharacters(in: .whitespacesAndNewlines)
      guard let state = JobState(rawValue: word) else { throw Self.unknown(word) }
      self.init(state)
    }
  }

  private init(_ fields: WireFields) throws {
    try fields.checkVersion()
    let word = fields.text("state", max: 16) ?? ""
    guard let state = JobState(rawValue: word) else { throw Self.unknown(word) }
    self.init(state, run: fields.text("run", max: 64))
    started = fields.number("started")
    ended = fields.number("ended")
    title = fields.text("title", max: 200)
    host = fields.text("host", max: 200)
    exit = fields.integer("exit")
    error = fields.text("error", max: 200)
    values = fields.integer("values")
    every = fields.number("every")
  }

  /// The JSON to send.
  public func payload() throws -> [UInt8] {
    Array(
      try JSONEncoder.readable.encode(
        Wire(
          v: 1, run: run, state: state, started: started, ended: ended, title: title, host: host, exit: exit,
          error: error.map { WireFields.oneLine($0, max: 200) }, values: values, every: every)))
  }

  private static func unknown(_ word: String) -> PayloadError {
    PayloadError(
      "\"\(WireFields.oneLine(word, max: 40))\" is no state of a job: queued, running, paused, done, …")
  }

  private struct Wire: Encodable {
    let v: Int
    let run: String?
    let state: JobState
    let started: Double?
    let ended: Double?
    let title: String?
    let host: String?
    let exit: Int?
    let error: String?
    let values: Int?
    let every: Double?
  }
}
