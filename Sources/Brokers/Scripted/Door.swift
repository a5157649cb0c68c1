import Foundation

/// A bound socket, and the thread that accepts its clients, if it has to.
final class Door: Sendable {
  let socket: ListeningSocket
  let reception: ScriptedBroker.Reception
  private let stop: StopSignal
  private let ended = DispatchSemaphore(value: 0)

  init(_ socket: ListeningSocket, _ reception: ScriptedBroker.Reception, _ core: ScriptCore) throws {
    self.socket = socket
    self.reception = reception
    stop = try StopSignal()
    if reception != .refusing {
      guard listen(socket.descriptor, 128) == 0 else { throw ScriptedBrokerError.system("listen", errno) }
    }
    guard reception == .serving else {
      ended.signal()
      return
    }
    Thread.detachNewThread { [stop, ended] in
      Self.serve(socket.descriptor, stop, core)
      ended.signal()
    }
  }

  /// Ends the thread, which never runs anybody's code, and returns when it has.
  func end() {
    stop.give()
    ended.wait()
    stop.end()
  }

  private static func serve(_ listener: Int32, _ stop: StopSignal, _ core: ScriptCore) {
    while stop.wait(for: listener, POLLIN, until: nil) == .ready {
      let client = acceptedSocket(listener)
      if client >= 0 {
        core.play(client)
      } else if ![EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno) {
        // Most likely no descriptors are left: the client waits until there are some.
        _ = stop.wait(until: .now + .milliseconds(10))
      }
    }
  }
}
