import Brokers
import Foundation
import SignalBox

/// `signalbox demo`: the whole way of a message on this machine, with nothing played.
enum DemoCommand: Command {
  static let name = "demo"
  static let summary = "shows it all on a private broker, in half a minute at most"
  static let examples = [
    (line: "signalbox demo", purpose: "broker, devices, a signal, a worker and a monitor")
  ]
  static let flags: [Flag] = []

  /// With what ending takes, half a minute.
  private static let limit = Duration.seconds(24)

  static func run(_ arguments: Arguments) async throws -> Int32 {
    if let extra = try arguments.operands.first { throw UsageError("\(extra): takes no operands") }
    let screen = DemoScreen()
    let deadline = ContinuousClock.now + limit
    return try await untilInterrupted {
      try await LocalBroker.with { broker in
        try await withThrowingTaskGroup(of: Void.self) { group in
          group.addTask { try await Demo(broker, screen).play() }
          group.addTask { for await _ in screen.isGone {} }
          group.addTask {
            try await Task.sleep(until: deadline)
            throw DemoFailure(description: "it took longer than \(limit): this machine is very busy")
          }
          defer { group.cancelAll() }
          try await group.next()
        }
      }
      screen.say(farewell)
    }
  }

  private static var farewell: String {
    let here = FileManager.default.currentDirectoryPath + "/"
    let own = executable.hasPrefix(here) ? String(executable.dropFirst(here.count)) : executable
    return """

      Nothing is left running. To try next, each in a terminal of its own:
        \(own) broker --port 18830
        \(own) watch -p 18830
        \(own) run -p 18830 --job jobs/first -- sh -c 'for i in 1 2 3 4 5; do sleep 1; echo "[$i/5] step"; done'
      """
  }

  /// The path of this program.
  static let executable = Bundle.main.executablePath ?? CommandLine.arguments[0]
}

struct DemoFailure: Error, CustomStringConvertible {
  let description: String
}

/// The acts of the demo, on a broker that is there.
private struct Demo {
  private let broker: LocalBroker
  private let screen: DemoScreen

  init(_ broker: LocalBroker, _ screen: DemoScreen) {
    self.broker = broker
    self.screen = screen
  }

  func play() async throws {
    screen.say("A private broker at \(broker.url); beside it a monitor: mosquitto_sub -v -t '#'")
    let port = "\(broker.port)"
    let monitor = try DemoProgram([
      // -W: should this process be killed, the monitor is not left looking for its broker for ever.
      try Mosquitto.path(of: "mosquitto_sub"), "-h", "127.0.0.1", "-p", port, "-v", "-t", "#", "-W", "30",
    ])
    try await broker.waitForLog("Sending SUBACK")
    async let shown: Void = show(monitor)
    let devices = try Bus(broker.url)
    let talk = Task { try await DemoDevices.run(devices) }
    do {
      try await listen()
      try await work()
    } catch {
      talk.cancel()
      monitor.program.signal(SIGTERM)
      throw error
    }
    talk.cancel()
    await devices.close()
    monitor.program.signal(SIGTERM)
    await shown
  }

  /// The monitor's lines, values, progress and states told apart.
  private func show(_ monitor: DemoProgram) async {
    for await line in monitor.lines {
      let tag =
        switch JobTopic.Level(endOf: String(line.prefix { $0 != " " })) {
        case .progress: "progress"
        case .state: "state"
        case .cancel, nil: "value"
        }
      screen.tagged(tag, line)
    }
  }

  /// A wildcard filter as a signal; the broker's own log tells when it was subscribed.
  private func listen() async throws {
    screen.heading("1. Topics are signals, and the broker has a subscription only while somebody listens")
    screen.say(
      "bus.signal(\"zigbee2mqtt/+\", as: Climate.self) has two subscribers for six readings, then none:")
    var options = try ConnectionOptions(url: broker.url)
    options.clientID = "demo-signal"
    let bus = try Bus(options, linger: .milliseconds(300))
    let climate = bus.signal("zigbee2mqtt/+", as: DemoDevices.Climate.self)
    let second = climate.subscribe { [screen] in screen.tagged("signal 2", "\($0.humidity) % humidity") }
    var count = 0
    for try await reading in climate.values() {
      screen.tagged("signal 1", "\(reading.temperature) °C")
      count += 1
      if count == 6 { break }
    }
    second.dispose()
    try await broker.waitForLog("Received UNSUBSCRIBE from demo-signal", within: .seconds(10))
    let packets = broker.log.filter { $0.contains("SUBSCRIBE from demo-signal") }
    for line in packets { screen.tagged("broker", line) }
    guard packets.count == 2 else {
      throw DemoFailure(description: "\(packets.count) packets for one subscription")
    }
    await bus.close()
  }

  /// A program under `signalbox run`, and its progress on the other side of the broker.
  private func work() async throws {
    var work = DemoWork()
    try await work.fit(in: .seconds(4))
    screen.heading("2. Any program reports its progress under signalbox run")
    screen.say(
      "signalbox run --job demo/compress -- sh -c '…' compresses \(work.files.count) files (\(work.bytes >> 20) MB):"
    )
    let bus = try Bus(broker.url)
    let events = bus.follow("demo/compress", run: .next)
    let worker = try DemoProgram(
      [DemoCommand.executable, "run", "-h", "127.0.0.1", "-p", "\(broker.port)"]
        + ["--job", "demo/compress", "--title", "compress the toolchain", "--"] + work.command)
    async let output = worker.lines.reduce(0) { count, _ in count + 1 }
    let drawing = events.handling(progress: screen.draw)
    do {
      for try await _ in drawing.values() {}
      try Task.checkCancellation()
    } catch {
      screen.finishBar()
      worker.program.signal(SIGTERM)
      throw error
    }
    screen.finishBar()
    let (status, lines) = (await worker.program.status, await output)
    screen.say(
      "It ended with exit status \(status); its own \(lines) lines of output went through unchanged.")
    await bus.close()
    guard status == 0, lines == work.files.count else { throw DemoFailure(description: "the worker failed") }
  }
}

extension Signal {
  /// The same signal, with a look at its progress.
  fileprivate func handling(progress handler: @escaping @Sendable (ProgressUpdate) -> Void) -> Signal {
    Signal { observer in
      subscribe {
        observer.send($0)
      } progress: {
        handler($0)
        observer.send(progress: $0)
      } failed: {
        observer.fail($0)
      } completed: {
        observer.complete()
      }
    }
  }
}
