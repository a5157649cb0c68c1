import SignalBox

/// `signalbox subscribe`: values in.
enum SubscribeCommand: Command {
  static let name = "subscribe"
  static let summary = "prints the values of topics, a line each"
  static let operands = "FILTER…"
  static let examples = [
    (line: "signalbox subscribe 'home/+/temperature' --as number", purpose: "only what is a number"),
    (line: "signalbox subscribe -v 'zigbee2mqtt/#'", purpose: "the topic in front of each value"),
    (line: "signalbox subscribe --json '#' | jq .topic", purpose: "an object for each message"),
  ]
  static let flags =
    [
      Flag("verbose", "v", help: "print the topic in front of the value"),
      Flag("json", nil, help: "print an object for each message: topic, value, retained"),
      Flag("as", nil, "KIND", help: "print only what is one: number, text or json"),
      Flag("count", "C", "N", help: "end after N messages"),
    ] + ConnectionFlags.flags

  static func run(_ arguments: Arguments) async throws -> Int32 {
    let flags = try ConnectionFlags(arguments)
    let filters = try filters(arguments, flags)
    guard !filters.isEmpty else { throw UsageError("give at least one FILTER") }
    let isJSON = arguments.has("json")
    let isVerbose = arguments.has("verbose")
    let kind = try Kind(arguments["as"])
    let count = try arguments.number("count", in: 1...Int.max)
    return try await untilInterrupted {
      try await withConnectedBus(flags) { bus in
        var printed = 0
        // QoS 0: at QoS 1 a broker queues a thousand messages for a client, and drops the rest.
        for try await message in messages(bus, filters, flags.qos ?? .atMostOnce) {
          guard !message.payload.isEmpty else { continue }
          guard kind.accepts(message.payload) else {
            let start = Output.printable(String(decoding: message.payload.prefix(40), as: UTF8.self))
            diagnose("\"\(Output.printable(message.topic))\": \"\(start)\" is not \(kind.description)")
            continue
          }
          let line = isJSON ? Array(json(message).utf8) : plain(message, isVerbose)
          guard try Output.write(line) else { return }
          printed += 1
          if printed == count { return }
        }
      }
    }
  }

  /// The filters; one may stand in the url, as with mosquitto_sub's `-L`.
  static func filters(_ arguments: Arguments, _ flags: ConnectionFlags) throws -> [TopicFilter] {
    let names = (flags.topic.map { [$0] } ?? []) + (try arguments.operands)
    do { return try names.map(TopicFilter.init) } catch { throw UsageError("\(error)") }
  }

  /// The messages of several filters, each one once also where they overlap.
  static func messages(_ bus: Bus, _ filters: [TopicFilter], _ qos: QoS) -> SignalValues<Message> {
    let signals = filters.enumerated().map { index, filter in
      bus.signal(filter, qos: qos).filter { message in
        !filters[..<index].contains { $0.matches(message.topic) }
      }
    }
    return Signal.merge(signals).values()
  }

  private static func plain(_ message: Message, _ isVerbose: Bool) -> [UInt8] {
    let topic = isVerbose ? Array("\(Output.printable(message.topic)) ".utf8) : []
    guard Output.isTerminal else { return topic + message.payload + [UInt8(ascii: "\n")] }
    return topic + Array("\(Output.printable(String(decoding: message.payload, as: UTF8.self)))\n".utf8)
  }

  private static func json(_ message: Message) -> String {
    var line = JSONLine(["topic": message.topic, "retained": message.origin == .stored])
    line.add(payload: message.payload, as: "value")
    return line.text
  }

  private enum Kind: String {
    case anything, number, text, json

    init(_ name: String?) throws(UsageError) {
      guard let kind = Kind(rawValue: name ?? "anything") else {
        throw UsageError("--as \(name ?? ""): not one of number, text and json")
      }
      self = kind
    }

    var description: String {
      switch self {
      case .anything: "anything"
      case .number: "a number"
      case .text: "UTF-8 text"
      case .json: "JSON"
      }
    }

    func accepts(_ payload: [UInt8]) -> Bool {
      switch self {
      case .anything: true
      case .number: (try? Double(payload: payload)) != nil
      case .text: (try? String(payload: payload)) != nil
      case .json: JSONLine.isJSON(payload)
      }
    }
  }
}
