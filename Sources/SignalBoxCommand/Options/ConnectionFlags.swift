import Foundation
import SignalBox

/// Which broker to connect to, and how: the options of mosquitto_sub, and what they were given.
struct ConnectionFlags {
  static let flags = shown + refused

  private static let shown = [
    Flag("host", "h", "HOST", help: "broker's name or address (localhost)"),
    Flag("port", "p", "PORT", help: "broker's port (1883)"),
    Flag(
      "url", "L", "URL", .urlPassword,
      help: "mqtt://[user[:password]@]host[:port][/topic], or SIGNALBOX_URL"),
    Flag("unix", nil, "PATH", help: "connect to a Unix socket instead"),
    Flag("username", "u", "USER", help: "user name"),
    Flag("pw-file", nil, "FILE", help: "file whose first line is the password, or SIGNALBOX_PASSWORD"),
    Flag("pw", "P", "PASSWORD", .all, help: "password; others may see it for a moment"),
    Flag("id", "i", "ID", help: "client id (a random one)"),
    Flag("qos", "q", "QOS", help: "quality of service: 0, 1 or 2"),
    Flag("keepalive", "k", "SECONDS", help: "keep-alive (60)"),
    Flag("protocol-version", "V", "VERSION", help: "mqttv5 or mqttv311, also 5 or 311 (mqttv5)"),
  ]

  /// mosquitto's options for TLS: known, so that the error can say that it is TLS which is missing.
  private static let refused = [
    Flag("cafile", nil, "FILE", help: ""), Flag("capath", nil, "FOLDER", help: ""),
    Flag("cert", nil, "FILE", help: ""), Flag("key", nil, "FILE", help: ""), Flag("insecure", help: ""),
  ]

  /// For `Bus`.
  private(set) var options = ConnectionOptions(host: "localhost")
  /// The quality of service; `nil` leaves it to the command.
  private(set) var qos: QoS?
  /// The topic or filter in the path of `-L`, as in mosquitto_sub.
  private(set) var topic: String?

  /// What `arguments` say, otherwise SIGNALBOX_URL and SIGNALBOX_PASSWORD.
  ///
  /// - Parameter warn: called when a password was given where others can see it.
  /// - Throws: `UsageError` for a value that can't be or a password file that can't be read; it never shows a
  ///   password.
  init(
    _ arguments: Arguments, environment: [String: String] = ProcessInfo.processInfo.environment,
    warn: (String) -> Void = diagnose
  ) throws(UsageError) {
    for flag in Self.refused where arguments.has(flag.name) {
      throw UsageError("--\(flag.name): TLS is not supported: use mqtt:// or --unix")
    }
    if let text = arguments["url"] {
      (options, topic) = try Self.read(text, of: "--url")
    } else if let text = environment["SIGNALBOX_URL"] {
      (options, topic) = try Self.read(text, of: "SIGNALBOX_URL")
    }
    try readEndpoint(arguments)
    try readLogin(arguments, environment, warn)
    options.clientID = arguments["id"] ?? options.clientID
    let seconds: Int? = try arguments.number("keepalive", in: 5...65535)
    options.keepAlive = seconds.map { .seconds($0) } ?? options.keepAlive
    if let name = arguments["protocol-version"] { options.version = try Self.version(name) }
    qos = try arguments.number("qos", in: 0...2).flatMap(QoS.init)
  }

  private mutating func readEndpoint(_ arguments: Arguments) throws(UsageError) {
    let port = try arguments.number("port", in: 1...65535)
    if let path = arguments["unix"] {
      options.endpoint = .unix(path: path)
    } else if let host = arguments["host"] {
      options.endpoint = .tcp(host: host, port: port ?? options.endpoint.port ?? 1883)
    } else if let port {
      options.endpoints = options.endpoints.map { .tcp(host: $0.host ?? "localhost", port: port) }
    }
  }

  private mutating func readLogin(
    _ arguments: Arguments, _ environment: [String: String], _ warn: (String) -> Void
  ) throws(UsageError) {
    options.user = arguments["username"] ?? options.user
    if let file = arguments["pw-file"] { options.password = try Self.firstLine(of: file) }
    if let secret = arguments["pw"] {
      warn("-P shows the password to others for a moment: use --pw-file or SIGNALBOX_PASSWORD")
      options.password = secret
    }
    if options.user != nil {
      options.password = options.password ?? environment["SIGNALBOX_PASSWORD"]
    } else if options.password != nil {
      throw UsageError("a password needs a user name: give -u USER")
    }
  }

  private static func read(
    _ text: String, of source: String
  ) throws(UsageError) -> (ConnectionOptions, topic: String?) {
    do throws(ConnectionError) {
      let options = try ConnectionOptions(url: text)
      guard case .tcp = options.endpoint, let scheme = text.range(of: "://"),
        let slash = text[scheme.upperBound...].firstIndex(of: "/")
      else { return (options, nil) }
      let path = text[text.index(after: slash)...]
      return (options, path.isEmpty ? nil : String(path))
    } catch {
      throw UsageError("\(source): \(error)")
    }
  }

  private static func version(_ name: String) throws(UsageError) -> ProtocolVersion {
    switch name {
    case "5", "mqttv5": .v5
    case "311", "3.1.1", "mqttv311": .v311
    default: throw UsageError("-V \(name): not a version we speak: use mqttv5 or mqttv311")
    }
  }

  private static func firstLine(of file: String) throws(UsageError) -> String {
    // Not `String(contentsOfFile:)`, which reads no pipe, as a shell's <(…) is.
    let content = try? FileHandle(forReadingFrom: URL(fileURLWithPath: file)).readToEnd()
    guard let text = content.flatMap({ String(validating: $0, as: UTF8.self) }) else {
      throw UsageError("--pw-file \(file): can't be read as text")
    }
    return String(text.prefix { !$0.isNewline })
  }
}

extension Endpoint {
  fileprivate var host: String? {
    if case .tcp(let host, _) = self { host } else { nil }
  }

  fileprivate var port: Int? {
    if case .tcp(_, let port) = self { port } else { nil }
  }
}
