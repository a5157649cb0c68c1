import Foundation

/// Something that many threads can wait for in `poll(2)`, beside their sockets: the read end of a pipe, into which
/// a byte is put that nobody takes out.
final class StopSignal: Sendable {
  private struct Ends {
    var read: Int32
    var write: Int32
  }

  private let descriptor: Int32
  private let ends: Guarded<Ends>

  init() throws {
    var pair: [Int32] = [-1, -1]
    guard pipe(&pair) == 0 else { throw ScriptedBrokerError.system("pipe", errno) }
    descriptor = aboveStandardStreams(pair[0])
    ends = Guarded(Ends(read: descriptor, write: aboveStandardStreams(pair[1])))
  }

  deinit { end() }

  func give() {
    ends.withLock { ends in
      guard ends.write >= 0 else { return }
      // The end of the pipe alone is no sign: a child that was started in the wrong moment may have a copy of it.
      var byte: UInt8 = 1
      _ = write(ends.write, &byte, 1)
      close(ends.write)
      ends.write = -1
    }
  }

  /// Gives the descriptor back; nobody may wait any more.
  func end() {
    give()
    ends.withLock { ends in
      if ends.read >= 0 { close(ends.read) }
      ends.read = -1
    }
  }

  /// Sleeps until the signal is given or the time is over; whether it is given.
  func wait(until deadline: ContinuousClock.Instant) -> Bool {
    wait(for: -1, 0, until: deadline) == .stopped
  }

  enum Wakening {
    case ready
    case stopped
    case timedOut
  }

  /// Sleeps until one of `events` comes to `socket` (or its end), the signal is given, or the time is over.
  func wait(for socket: Int32, _ events: Int32, until deadline: ContinuousClock.Instant?) -> Wakening {
    withUnsafeTemporaryAllocation(of: pollfd.self, capacity: 2) { polled in
      polled[0] = pollfd(fd: socket, events: Int16(events), revents: 0)
      polled[1] = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      while true {
        let left = deadline.map { ContinuousClock.now.duration(to: $0).pollTime } ?? -1
        let count = poll(polled.baseAddress, 2, left)
        if count > 0 { return polled[1].revents != 0 ? .stopped : .ready }
        if let deadline, ContinuousClock.now >= deadline { return .timedOut }
      }
    }
  }
}

extension Duration {
  /// Milliseconds as `poll` takes them, rounded up.
  fileprivate var pollTime: Int32 {
    guard self > .zero else { return 0 }
    return Int32(clamping: Int64((self / .milliseconds(1)).rounded(.up).clamped(to: 0...1e9)))
  }
}

extension Double {
  fileprivate func clamped(to range: ClosedRange<Double>) -> Double {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
