import Dispatch
import Signals

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Waits until the process is asked to end, by SIGTERM or SIGINT (Ctrl-C), or the task is cancelled.
///
/// While it waits these signals do not end the process by themselves, so that it can say goodbye:
///
/// ```swift
/// try await withBus("mqtt://localhost") { bus in
///   …
///   await untilTerminated()
/// }
/// ```
public func untilTerminated() async {
  await Termination().wait()
}

/// The signals that ask the process to end, from its making to its end.
final class Termination: @unchecked Sendable {
  // Sound: immutable.
  private static let signals = [SIGTERM, SIGINT]

  private let asked = Subject<Void>(replay: 1)
  private let former: [(@convention(c) (Int32) -> Void)?]
  private let sources: [any DispatchSourceSignal]

  init() {
    former = Self.signals.map { signal($0, SIG_IGN) }
    sources = Self.signals.map { [asked] number in
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { asked.send(()) }
      source.resume()
      return source
    }
  }

  deinit {
    for source in sources { source.cancel() }
    for (number, handler) in zip(Self.signals, former) { signal(number, handler) }
  }

  func wait() async {
    _ = try? await asked.signal.first()
  }
}
