/// Where a job stands.
public enum JobState: String, Sendable, Hashable, Codable {
  /// Waits to be run.
  case queued
  /// Runs.
  case running
  /// Holds still and will go on.
  case paused
  /// Ended well.
  case done
  /// Ended badly.
  case failed
  /// Was called off.
  case cancelled
  /// Its worker is gone without a word: nobody reports any more.
  case lost

  /// Whether the run is over. Nobody takes back an end; `lost` is taken back by a worker that shows up again.
  public var isEnd: Bool { self == .done || self == .failed || self == .cancelled }
}

/// Why a followed job did not complete.
public enum JobError: Error, Sendable, Hashable, CustomStringConvertible {
  /// It failed, with what the worker said and its exit status if it has one.
  case failed(String?, exit: Int?)
  /// It was called off.
  case cancelled
  /// Its worker is gone without a word.
  case lost
  /// A new run of the job began.
  case superseded

  /// One line.
  public var description: String {
    switch self {
    case .failed(let reason, let exit):
      ["the job failed", exit.map { "with exit status \($0)" }, reason.map { ": \($0)" }]
        .compactMap(\.self).joined(separator: " ").replacing(" : ", with: ": ")
    case .cancelled: "the job was cancelled"
    case .lost: "the job is lost: its worker is gone without a word"
    case .superseded: "a new run of the job began"
    }
  }
}
