import Brokers
import Foundation
import Peers
import MQTT
import Signals
import Testing

/// Records what a connection tells its delegate.
final class Recorder: ConnectionDelegate {
  struct History {
    var messages: [Message] = []
    var sessions: [Session] = []
    var causes: [ConnectionError?] = []
  }

  private let state = Lock(History())
  private let onMessage: @Sendable (Message) -> Void

  init(onMessage: @escaping @Sendable (Message) -> Void = { _ in }) {
    self.onMessage = onMessage
  }

  var history: History { state.withLock { $0 } }
  var texts: [String] { history.messages.map { String(decoding: $0.payload, as: UTF8.self) } }
  var count: Int { state.withLock { $0.messages.count } }

  func connectionDidConnect(_ session: Session) { state.withLock { $0.sessions.append(session) } }
  func connectionDidDisconnect(_ cause: ConnectionError?) { state.withLock { $0.causes.append(cause) } }
  func connectionDidReceive(_ message: Message) {
    state.withLock { $0.messages.append(message) }
    onMessage(message)
  }
}

/// Collects values from any thread.
final class Collector<Value: Sendable>: Sendable {
  private let state = Lock<[Value]>([])
  var values: [Value] { state.withLock { $0 } }
  var count: Int { state.withLock { $0.count } }
  func add(_ value: Value) { state.withLock { $0.append(value) } }
}

extension ConnectionOptions {
  /// For a test: quick to connect again.
  init(_ broker: LocalBroker, _ version: ProtocolVersion = .v5) {
    self.init(host: "127.0.0.1", port: Int(broker.port))
    self.version = version
    backoff = .init(initial: .milliseconds(20), maximum: .milliseconds(200))
    connectDeadline = .seconds(60)
  }
}

extension ConnectionOptions {
  /// For a test with a script: connects again at once.
  init(_ broker: ScriptedBroker) {
    self.init(host: "127.0.0.1", port: Int(broker.port))
    backoff = .init(initial: .milliseconds(1), maximum: .milliseconds(20))
    connectDeadline = .seconds(60)
  }
}

/// The states of a connection as they came.
func record(_ connection: Connection) -> (states: Collector<ConnectionState>, end: Subscription) {
  let states = Collector<ConnectionState>()
  return (states, connection.states.subscribe { states.add($0) })
}

/// A connection that is up, with its recorder; closed when `body` has returned.
@discardableResult
func withConnection<Result: Sendable>(
  _ options: ConnectionOptions, _ recorder: Recorder = Recorder(),
  _ body: (Connection, Recorder) async throws -> Result
) async throws -> Result {
  let connection = try Connection(options)
  connection.connect(delegate: recorder)
  do {
    try await eventually("no connection") { !recorder.history.sessions.isEmpty }
    let result = try await body(connection, recorder)
    await connection.close(deadline: .seconds(30))
    return result
  } catch {
    await connection.close(deadline: .zero)
    throw error
  }
}

/// One of mosquitto's own clients, with its output.
func runClient(_ name: String, _ broker: LocalBroker, _ arguments: [String]) async throws -> (
  code: Int32, output: String
) {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = [name, "-h", "127.0.0.1", "-p", "\(broker.port)"] + arguments
  let pipe = Pipe()
  process.standardOutput = pipe
  process.standardError = pipe
  return try await withCheckedThrowingContinuation { continuation in
    process.terminationHandler = { process in
      let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
      continuation.resume(returning: (process.terminationStatus, output))
    }
    do { try process.run() } catch { continuation.resume(throwing: error) }
  }
}

/// What the calling thread is called.
func threadName() -> String {
  #if canImport(Darwin)
    var buffer = [CChar](repeating: 0, count: 64)
    pthread_getname_np(pthread_self(), &buffer, buffer.count)
    return buffer.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
  #else
    return (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? "unknown"
  #endif
}
