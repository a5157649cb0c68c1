import Foundation

/// The signals that ask this process to end (HUP, INT and TERM), which from now on do nothing else.
///
/// One that was ignored from the start, as SIGHUP under nohup, stays ignored.
func endSignals() -> AsyncStream<Int32> {
  let (stream, arrivals) = AsyncStream.makeStream(of: Int32.self)
  for number in [SIGHUP, SIGINT, SIGTERM] {
    let isIgnored = unsafeBitCast(signal(number, SIG_IGN), to: Int.self) == 1
    if isIgnored { continue }
    let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
    // The handler keeps its source for as long as the process lives.
    source.setEventHandler { withExtendedLifetime(source) { _ = arrivals.yield(number) } }
    source.activate()
  }
  return stream
}
