import Foundation
import MQTT
import Signals

/// Opens and ends one connection after the other, and tells what the process holds after a tenth of them and at the
/// end: whatever one of them leaves behind is there many times over then.
struct Cycles {
  let settings: Settings

  func run() throws {
    let count = settings.number("count", default: 1_000)
    let kind = settings.text("kind") ?? "closed"
    for number in 1...count {
      try cycle(kind)
      if number == count / 10 { rest("before") }
    }
    rest("after")
  }

  /// A thread may still be on its way out when its connection has told the last.
  private func rest(_ when: String) {
    let deadline = ContinuousClock.now + .seconds(20)
    while ProcessState().threads > 1, ContinuousClock.now < deadline { usleep(1_000) }
    ProcessState().tell(when)
  }

  private func cycle(_ kind: String) throws {
    let listener = Listener()
    let connection = try Connection(settings.options())
    switch kind {
    case "closed":
      open(connection, listener)
      close(connection)
    case "dropped":
      open(connection, listener)
    case "exchange":
      open(connection, listener)
      try exchange(connection, listener)
      close(connection)
    case "refused":
      let state = result { done in
        connection.connect()
        connection.states.filter { if case .waiting = $0 { true } else { false } }.take(1)
          .subscribe { done($0) }
      }
      guard case .waiting(_, .unreachable) = state else { fail("not refused: \(state)") }
      close(connection)
    default: fail("there is no kind of cycle named \(kind)")
    }
  }
}

func open(_ connection: Connection, _ listener: Listener) {
  connection.connect(delegate: listener)
  wait(for: "a connection") { listener.connects > 0 }
}

func close(_ connection: Connection) {
  result { done in connection.close { done(()) } }
}

/// Sends a message and waits until it has come back.
func exchange(_ connection: Connection, _ listener: Listener) throws {
  let name = "probe/\(getpid())"
  let filter = try TopicFilter(name)
  let topic = try Topic(name)
  guard case .success = result({ connection.subscribe([Subscribe(filter)], completion: $0) }) else {
    fail("no subscription")
  }
  let sent = result { connection.publish(Publish(topic, "hello"), completion: $0) }
  guard sent.isSuccess else { fail("the message was not sent: \(sent)") }
  wait(for: "the message") { listener.messages > 0 }
}
