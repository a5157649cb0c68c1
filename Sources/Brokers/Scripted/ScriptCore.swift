import Foundation

/// What the threads of a broker share. It outlives the broker's object: they need it until they end.
final class ScriptCore: Sendable {
  struct State {
    /// How many clients came.
    var links = 0
    /// How many threads of them there are.
    var running = 0
    /// What the scripts that run are at.
    var steps: [Int: (step: Int, doing: String)] = [:]
    var received: [ScriptedBroker.Received] = []
    var failure: (any Error)?

    func isFinished(_ links: Int) -> Bool {
      failure != nil || self.links >= links && steps.isEmpty
    }

    func problem(_ links: Int, within limit: Duration) -> (any Error)? {
      if let failure { return failure }
      if self.links < links {
        return ScriptedBrokerError.fewerLinks(self.links, expected: links, within: limit)
      }
      guard let (link, last) = steps.min(by: { $0.key < $1.key }) else { return nil }
      return ScriptedBrokerError.unfinished(link: link, step: last.step, doing: last.doing, within: limit)
    }
  }

  let state = Guarded(State())
  let stop: StopSignal
  let patience: Duration
  private let scripts: [ScriptedBroker.Script]

  init(_ scripts: [ScriptedBroker.Script], patience: Duration) throws {
    self.scripts = scripts
    self.patience = patience
    stop = try StopSignal()
  }

  /// Plays the script of the next client on a thread of its own, which owns the socket.
  func play(_ descriptor: Int32) {
    let number = state.withLock { state in
      defer { state.links += 1 }
      state.running += 1
      state.steps[state.links] = (0, "the script")
      return state.links
    }
    Thread.detachNewThread { [self] in
      play(descriptor, number)
      state.withLock { $0.running -= 1 }
    }
  }

  private func play(_ descriptor: Int32, _ number: Int) {
    let link = ScriptedBroker.Link(number, LinkSocket(descriptor: descriptor, stop: stop), self)
    var failure: (any Error)?
    do {
      try scripts[min(number, scripts.count - 1)](link)
    } catch ScriptedBrokerError.stopped {
    } catch let error as ScriptedBrokerError {
      failure = error
    } catch {
      failure = ScriptedBrokerError.step(link: number, step: link.step, problem: "the script threw \(error)")
    }
    state.withLock { $0.failure = $0.failure ?? failure }
    link.end()
    // Only now: whoever waits for the scripts stops the broker next, and clients are to get what was sent last.
    state.withLock { $0.steps[number] = nil }
  }
}
