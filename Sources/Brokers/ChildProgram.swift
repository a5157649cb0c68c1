import Foundation

/// A program found in PATH, with its standard output: the foreign side of demonstrations and tests.
///
/// It is in our process group, so that Ctrl-C reaches it; dropping the last reference ends it with SIGTERM.
package final class ChildProgram: Sendable {
  private struct State {
    var status: Int32?
    var waiting: [CheckedContinuation<Int32, Never>] = []
  }

  /// Outlives the program's object: the thread that reaps needs it.
  private final class Life: Sendable {
    let state = Guarded(State())

    func end(_ status: Int32) {
      let waiting = state.withLock { state in
        state.status = status
        defer { state.waiting = [] }
        return state.waiting
      }
      for continuation in waiting { continuation.resume(returning: status) }
    }
  }

  /// Its process id; it stays its own until `status` is known.
  package let pid: Int32
  private let life = Life()

  /// Starts a program; `receive` gets what it prints, on a thread of its own, and an empty array at the end.
  package init(_ command: [String], receive: @escaping @Sendable ([UInt8]) -> Void) throws {
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw LocalBrokerError.system("pipe failed") }
    let (output, input) = (aboveStandardStreams(ends[0]), aboveStandardStreams(ends[1]))
    defer { close(input) }
    do {
      pid = try spawn(["/usr/bin/env"] + command, inheriting: [input: 1], inSession: false)
    } catch {
      close(output)
      throw error
    }
    Thread.detachNewThread { [pid, life] in
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(output, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        receive(Array(buffer.prefix(max(count, 0))))
        if count <= 0 { break }
      }
      close(output)
      var status: Int32 = 0
      while waitpid(pid, &status, 0) < 0, errno == EINTR {}
      life.end(status & 0x7f == 0 ? status >> 8 & 0xff : 128 + status & 0x7f)
    }
  }

  deinit { signal(SIGTERM) }

  /// Sends a signal, unless it has ended.
  package func signal(_ number: Int32) {
    life.state.withLock { state in
      if state.status == nil { _ = kill(pid, number) }
    }
  }

  /// Its exit status, or 128 + n when signal n ended it, once its output has ended.
  package var status: Int32 {
    get async {
      await withCheckedContinuation { continuation in
        let status = life.state.withLock { state in
          if state.status == nil { state.waiting.append(continuation) }
          return state.status
        }
        if let status { continuation.resume(returning: status) }
      }
    }
  }
}
