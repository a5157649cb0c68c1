public import Signals

/// One run of a job, on the worker's side: publishes its values, its progress and its life.
///
/// An observer: `signal.subscribe(job)` makes a job of any signal, progress and end included.
///
/// ```swift
/// let job = try bus.job("jobs/backup", of: File.self, title: "nightly backup")
/// for (index, file) in files.enumerated() {
///   try job.publish(backUp(file))
///   job.report(done: Double(index + 1), of: Double(files.count), unit: "files")
/// }
/// job.complete()
/// await bus.close()
/// ```
///
/// Report as often as you like, from any thread: the first update goes out at once, then at most four a second, and the
/// last one always. Each job has a connection of its own, so that its last will says `lost` when the worker is gone
/// without a word. A job that is dropped without an end is reported as failed.
public final class Job<Value: Encodable & Sendable>: Observer<Value>, @unchecked Sendable {
  // Sound: immutable; the worker guards itself.
  private let worker: JobWorker

  init(_ worker: JobWorker) { self.worker = worker }

  deinit { worker.end(.failed("the job was dropped without an end")) }

  /// The id of this run, which tells it from other runs of the job.
  public var run: String { worker.run }

  /// Reports how far the work is.
  public func report(_ update: ProgressUpdate) { worker.report(update) }

  /// Reports a count: `done` of `total`, in `unit`s.
  public func report(done: Double, of total: Double? = nil, unit: String? = nil, message: String? = nil) {
    worker.report(ProgressUpdate(done: done, total: total, unit: unit, message: message))
  }

  /// Reports a count: `done` of `total`, in `unit`s.
  public func report(done: Int, of total: Int? = nil, unit: String? = nil, message: String? = nil) {
    report(done: Double(done), of: total.map(Double.init), unit: unit, message: message)
  }

  /// Reports a fraction, 0…1.
  public func report(fraction: Double, message: String? = nil) {
    worker.report(ProgressUpdate(fraction: fraction, message: message))
  }

  /// Publishes a value at the job's topic; throws when it has no form on the wire, and when the broker is so far behind
  /// that ``ConnectionOptions/outboxLimits`` are reached.
  public func publish(_ value: Value) throws { try worker.send(try PayloadCoding.encode(value)) }

  /// Ends the run. The first end counts.
  public func end(_ outcome: JobOutcome) { worker.end(outcome) }

  /// Waits until the broker has everything, the end included; throws why it has not after `deadline`.
  ///
  /// Only after an end. A program that exits before this or ``Bus/close(deadline:)`` has returned may be taken for lost.
  public func flush(deadline: Duration = .seconds(5)) async throws(ConnectionError) {
    try await worker.flush(deadline: deadline)
  }

  /// Publishes a value. One that can't be published ends the job as failed: see ``publish(_:)``.
  public override func send(_ value: Value) {
    do { try publish(value) } catch { worker.end(.failed("\(error)")) }
  }

  /// Reports how far the work is: the same as ``report(_:)``.
  public override func send(progress: ProgressUpdate) { worker.report(progress) }

  /// Ends the run as failed, or as cancelled for a `CancellationError`.
  public override func fail(_ error: any Error) {
    worker.end(error is CancellationError ? .cancelled : .failed("\(error)"))
  }

  /// Ends the run as done.
  public override func complete() { worker.end(.done()) }

  /// Whether the run has ended.
  public override var isDisposed: Bool { worker.hasEnded }
}

extension Bus {
  /// Begins a run of the job at `topic` that publishes values of `type`; throws when the topic is none.
  ///
  /// `title` is for people. `id` tells this run from others; by default a new one.
  public func job<Value: Encodable & Sendable>(
    _ topic: String, of type: Value.Type, title: String? = nil, id: String? = nil
  ) throws -> Job<Value> {
    Job(try JobWorker(JobTopic(topic), title: title, run: id ?? RunFacts.newID(), core))
  }

  /// Begins a run of a job that has progress and an end, but no values.
  public func job(_ topic: String, title: String? = nil, id: String? = nil) throws -> Job<Never> {
    try job(topic, of: Never.self, title: title, id: id)
  }
}
