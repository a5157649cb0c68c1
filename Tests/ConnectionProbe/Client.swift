import CProbe
import Foundation
import MQTT
import Signals

/// A connection that does what lines of a named pipe ask for, and nothing by itself: while none comes, this thread
/// sleeps in one system call, so that all others are the connection's.
final class Client {
  private let settings: Settings
  private let connection: Connection
  private let listener: Listener
  private var reports = 0

  init(_ settings: Settings) throws {
    self.settings = settings
    listener = Listener(speaks: true, tellsMessages: settings.text("messages") == "told")
    connection = try Connection(settings.options())
  }

  func run() throws {
    guard let path = settings.text("commands") else { fail("commands=PIPE is missing") }
    // Writable too: so it has no end while nobody writes.
    let pipe = open(path, O_RDWR)
    guard pipe >= 0 else { fail("\(path) can't be opened") }
    let states = connection.states.subscribe { tell("state", $0) }
    connection.connect(delegate: listener)
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(pipe, &buffer, buffer.count)
      for byte in buffer.prefix(max(count, 0)) {
        guard byte == UInt8(ascii: "\n") else {
          line.append(byte)
          continue
        }
        let words = String(decoding: line, as: UTF8.self).split(separator: " ").map(String.init)
        line = []
        if try !obey(words) { return withExtendedLifetime(states) {} }
      }
    }
  }

  /// False at the end.
  private func obey(_ words: [String]) throws -> Bool {
    switch words.first {
    case "subscribe":
      let subscribe = Subscribe(try TopicFilter(words[1]))
      tell("subscribed", result { self.connection.subscribe([subscribe], completion: $0) }.text)
    case "publish":
      connection.publish(Publish(try Topic(words[1]), words[2])) { tell("published", "\($0)") }
    case "fill":
      // QoS 0 leaves as fast as the socket takes it.
      let payload = [UInt8](repeating: 0, count: Int(words[2])!)
      let topic = try Topic("fill")
      for _ in 0..<Int(words[1])! { connection.send(Publish(topic, payload, qos: .atMostOnce)) }
      tell("filled", words[1])
    case "block": listener.block()
    case "release": listener.release()
    case "clock":
      let wall = time(nil)
      probe_set_wall_clock(Int(words[1])!)
      tell("clock", abs(time(nil) - wall - Int(words[1])!) < 60 ? words[1] : "unmoved")
      tell("clock.wall", probe_wall_clock_reads())
    case "report": report()
    case "close":
      close(connection)
      ProcessState().tell("end")
      return false
    default: fail("no such command: \(words)")
    }
    return true
  }

  private func report() {
    let metrics = connection.metrics
    tell("received", metrics.messagesReceived)
    tell("handled", listener.messages)
    tell("dropped", metrics.messagesDropped)
    tell("inbox", metrics.inbox.count)
    tell("outbox", metrics.outbox.count)
    tell("connects", metrics.connects)
    tell("threads", ProcessState().threads)
    tell("clock.wall", probe_wall_clock_reads())
    tell("clock.all", probe_clock_reads())
    reports += 1
    tell("reported", reports)
  }
}

extension Result {
  fileprivate var text: String {
    switch self {
    case .success(let value): "\(value)"
    case .failure(let error): "\(error)"
    }
  }
}
