import CCommand
import Foundation

/// The signals that ask this process to end (HUP, INT and TERM), which after this do nothing else.
///
/// One that was ignored from the start, as SIGHUP under nohup, stays ignored. Until this returns, they end the
/// process as usual: none is lost between the two.
func endSignals() async -> AsyncStream<Int32> {
  let (stream, arrivals) = AsyncStream.makeStream(of: Int32.self)
  for number in [SIGHUP, SIGINT, SIGTERM] where !signalbox_is_ignored(number) {
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    // The handler keeps its source for as long as the process lives.
    source.setEventHandler { withExtendedLifetime(source) { _ = arrivals.yield(number) } }
    await withCheckedContinuation { registered in
      source.setRegistrationHandler { registered.resume() }
      source.activate()
    }
    // There, Dispatch sees the signal but does not keep it from its usual effect.
    #if canImport(Darwin)
      signal(number, SIG_IGN)
    #endif
  }
  return stream
}
