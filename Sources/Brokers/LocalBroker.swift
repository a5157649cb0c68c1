import Foundation

/// A real mosquitto as a child process, on the loopback interface only.
///
/// ```swift
/// try await LocalBroker.with { broker in
///   // Connect to 127.0.0.1, port broker.port.
///   try await broker.waitForLog("Received SUBSCRIBE")
///   await broker.kill()
///   try await broker.restart()
/// }
/// ```
///
/// The broker has a folder of its own for its files. Both are gone after `stop`, when the last reference is
/// dropped, and when this process ends, even by SIGKILL.
public actor LocalBroker {
  /// The TCP port at 127.0.0.1; the same over restarts.
  public nonisolated let port: UInt16
  /// The folder of the broker's own files.
  public nonisolated let folder: String

  /// Where clients connect, such as `mqtt://127.0.0.1:21883`; `mqtts://` with TLS.
  public nonisolated let url: String

  private let program: String
  private let logFile: FileHandle
  private var run: Supervisor?
  private var isStopped = false

  /// Starts a broker and returns when it serves.
  ///
  /// - Throws: `LocalBrokerError`, among others when mosquitto is not installed.
  public static func start(_ options: Options = Options()) async throws -> LocalBroker {
    let program = try Mosquitto.path(of: "mosquitto")
    for _ in 0..<20 {
      let broker = try LocalBroker(program: program, options: options, port: options.port ?? freePort())
      do {
        try await broker.launch()
        return broker
      } catch LocalBrokerError.portInUse where options.port == nil {
        // Somebody took the port between our look and the broker's.
        await broker.stop()
      } catch {
        await broker.stop()
        throw error
      }
    }
    throw LocalBrokerError.didNotStart(reason: "20 ports in a row were taken")
  }

  /// Runs `body` with a new broker that is stopped before this returns or throws.
  public static func with<Result>(
    _ options: Options = Options(),
    isolation: isolated (any Actor)? = #isolation,
    _ body: (LocalBroker) async throws -> Result
  ) async throws -> Result {
    let broker = try await start(options)
    do {
      let result = try await body(broker)
      await broker.stop()
      return result
    } catch {
      await broker.stop()
      throw error
    }
  }

  private init(program: String, options: Options, port: UInt16) throws {
    self.program = program
    self.port = port
    url = "\(options.tls == nil ? "mqtt" : "mqtts")://127.0.0.1:\(port)"
    let temporary = FileManager.default.temporaryDirectory
    let folder = temporary.appendingPathComponent("signalbox-broker-\(UUID().uuidString)").path
    self.folder = folder
    try Mosquitto.makeFolder(folder, permissions: 0o700)
    do {
      try Mosquitto.writeFiles(options, folder: folder)
      let configuration = Mosquitto.configuration(options, port: port, folder: folder)
      try Mosquitto.write(configuration, to: "\(folder)/mosquitto.conf")
      try Mosquitto.write("", to: "\(folder)/log")
      logFile = try FileHandle(forReadingFrom: URL(fileURLWithPath: "\(folder)/log"))
    } catch {
      try? FileManager.default.removeItem(atPath: folder)
      throw error
    }
  }

  /// The broker's process id, or `nil` when it has ended.
  public var pid: Int32? { run.flatMap { $0.isAlive ? $0.program : nil } }

  /// Ends the broker as a power cut would (SIGKILL); its folder and its port wait for `restart`.
  public func kill() async {
    await end(by: SIGKILL)
  }

  /// Has the broker close its connections, store its data and end (SIGTERM), within 10 s by force; its folder
  /// and its port wait for `restart`.
  public func terminate() async {
    await end(by: SIGTERM)
  }

  /// Starts the broker again at the same port and with the same folder, after ending it if it still runs.
  ///
  /// Data of `Storage.memory` is lost, that of the others is as mosquitto left it.
  ///
  /// - Throws: `LocalBrokerError`, after 10 s also when another process took the port.
  public func restart() async throws {
    if let old = run {
      run = nil
      await old.end(keepingFolder: true)
    }
    let deadline = ContinuousClock.now + .seconds(10)
    while true {
      do {
        return try await launch()
      } catch LocalBrokerError.portInUse where ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(50))
      }
    }
  }

  /// Halts the broker (SIGSTOP): connections stay open and nothing answers, as behind a dead network.
  public func suspend() {
    run?.signal(SIGSTOP)
  }

  /// Lets a suspended broker go on (SIGCONT).
  public func resume() {
    run?.signal(SIGCONT)
  }

  /// Ends the broker for good, within 5 s by force, and removes its folder. Does nothing the second time.
  public func stop() async {
    isStopped = true
    let last = run
    run = nil
    await last?.end(keepingFolder: false)
    try? FileManager.default.removeItem(atPath: folder)
  }

  private func end(by signal: Int32) async {
    guard let run else { return }
    run.signal(signal)
    run.signal(SIGCONT)
    guard await !poll(until: .now + .seconds(10), { !run.isAlive }) else { return }
    run.signal(SIGKILL)
    await poll { !run.isAlive }
  }

  /// Runs mosquitto until it says that it serves.
  private func launch() async throws {
    guard !isStopped else { throw LocalBrokerError.stopped }
    let mark = log.count
    let new = try Supervisor(
      command: [program, "-c", "\(folder)/mosquitto.conf"], log: "\(folder)/log", folder: folder)
    var lines: ArraySlice<String> = []
    var serves = false
    await poll(until: .now + .seconds(60)) {
      let isAlive = new.isAlive
      lines = log.dropFirst(mark)
      serves = isAlive && lines.contains { $0.hasPrefix("mosquitto version") && $0.hasSuffix("running") }
      return serves || !isAlive
    }
    if serves && !isStopped {
      run = new
      return
    }
    await new.end(keepingFolder: !isStopped)
    guard !isStopped else { throw LocalBrokerError.stopped }
    if lines.contains(where: { $0.contains("Address already in use") }) {
      throw LocalBrokerError.portInUse(port)
    }
    // Errors in the configuration come before `log_timestamp false` is read.
    let reason = lines.first { $0.contains("Error: ") } ?? lines.last ?? "it said nothing"
    let start = reason.range(of: "Error: ")?.upperBound ?? reason.startIndex
    throw LocalBrokerError.didNotStart(reason: String(reason[start...]))
  }
}

extension LocalBroker {
  /// Everything the broker has logged until now, a line each, over all its restarts; also after `stop`.
  public nonisolated var log: [String] {
    logFile.contents.split(separator: "\n").map(String.init)
  }

  /// Waits until at least `count` lines of the log, of those after the first `mark`, contain `text`.
  ///
  /// ```swift
  /// let mark = broker.log.count
  /// // Whatever should make the broker unsubscribe.
  /// try await broker.waitForLog("Received UNSUBSCRIBE", after: mark)
  /// ```
  ///
  /// - Returns: the line that made the count full.
  /// - Throws: `LocalBrokerError.notLogged` after `limit`, `CancellationError`.
  @discardableResult
  public nonisolated func waitForLog(
    _ text: String, count: Int = 1, after mark: Int = 0, within limit: Duration = .seconds(60)
  ) async throws -> String {
    var found: [String] = []
    let isFound = try await poll(until: .now + limit) {
      try Task.checkCancellation()
      found = log.dropFirst(mark).filter { $0.contains(text) }
      return found.count >= count
    }
    guard isFound else { throw LocalBrokerError.notLogged(text: text) }
    return found[count - 1]
  }
}

extension FileHandle {
  /// All bytes of the file as text, without moving its offset: threads may read at the same time.
  fileprivate var contents: String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = pread(fileDescriptor, &buffer, buffer.count, off_t(bytes.count))
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
