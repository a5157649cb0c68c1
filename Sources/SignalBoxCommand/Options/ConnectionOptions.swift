import Foundation

/// Which broker to connect to, and how: the options of mosquitto_sub.
struct ConnectionOptions: Equatable {
  /// Of the protocol, by the names that `-V` knows.
  enum Version: Sendable {
    case v311
    case v5
  }

  var host = "localhost"
  /// 1883, or 8883 with TLS, unless it was given.
  var port: UInt16 = 1883
  /// The path of a Unix socket, which then counts instead of host and port.
  var unixSocket: String?
  var user: String?
  var password: String?
  var clientID: String?
  /// 0, 1 or 2; `nil` leaves it to the command.
  var qos: UInt8?
  /// In seconds; 0 turns it off.
  var keepAlive: UInt16 = 60
  var version = Version.v5
  var usesTLS = false
  var caFile: String?
  var caPath: String?
  var certificate: String?
  var key: String?
  /// The name in the broker's certificate is not checked.
  var isInsecure = false
  /// The topic or filter of the url's path.
  var topic: String?
}

extension ConnectionOptions {
  static let flags = [
    Flag("host", "h", "HOST", help: "broker's name or address (localhost)"),
    Flag("port", "p", "PORT", help: "broker's port (1883, with TLS 8883)"),
    Flag(
      "url", "L", "URL", .urlPassword,
      help: "mqtt(s)://[user[:password]@]host[:port][/topic], or SIGNALBOX_URL"),
    Flag("unix", nil, "PATH", help: "connect to a Unix socket instead"),
    Flag("username", "u", "USER", help: "user name"),
    Flag("pw-file", nil, "FILE", help: "file whose first line is the password, or SIGNALBOX_PASSWORD"),
    Flag("pw", "P", "PASSWORD", .all, help: "password; others may see it for a moment"),
    Flag("id", "i", "ID", help: "client id (a random one)"),
    Flag("qos", "q", "QOS", help: "quality of service: 0, 1 or 2"),
    Flag("keepalive", "k", "SECONDS", help: "keep-alive (60)"),
    Flag("protocol-version", "V", "VERSION", help: "mqttv5 or mqttv311, also 5 or 311 (mqttv5)"),
    Flag("cafile", nil, "FILE", help: "TLS with the authorities in FILE"),
    Flag("capath", nil, "FOLDER", help: "TLS with the authorities in FOLDER"),
    Flag("cert", nil, "FILE", help: "our certificate for TLS"),
    Flag("key", nil, "FILE", help: "our private key for TLS"),
    Flag("insecure", help: "do not check the name in the broker's certificate"),
  ]

  /// The options given by `arguments`, otherwise by SIGNALBOX_URL and SIGNALBOX_PASSWORD.
  ///
  /// - Parameter warn: called when a password was given where others can see it.
  /// - Throws: `UsageError` for a value that can't be, or a password file that can't be read.
  init(
    _ arguments: Arguments, environment: [String: String] = ProcessInfo.processInfo.environment,
    warn: (String) -> Void = diagnose
  ) throws(UsageError) {
    var givenPort: UInt16?
    password = environment["SIGNALBOX_PASSWORD"]
    if let text = arguments["url"] ?? environment["SIGNALBOX_URL"] {
      let url = try BrokerURL(text)
      host = url.host
      givenPort = url.port
      usesTLS = url.usesTLS
      user = url.user
      password = url.password ?? password
      topic = url.topic
    }
    host = arguments["host"] ?? host
    user = arguments["username"] ?? user
    if let file = arguments["pw-file"] { password = try Self.firstLine(of: file) }
    if let secret = arguments["pw"] {
      warn("-P shows the password to others for a moment: use --pw-file or SIGNALBOX_PASSWORD")
      password = secret
    }
    unixSocket = arguments["unix"]
    clientID = arguments["id"]
    qos = try arguments.number("qos", in: 0...2)
    keepAlive = try arguments.number("keepalive", in: 0...65535) ?? keepAlive
    version = try arguments["protocol-version"].map(Self.version) ?? version
    caFile = arguments["cafile"]
    caPath = arguments["capath"]
    certificate = arguments["cert"]
    key = arguments["key"]
    isInsecure = arguments.has("insecure")
    usesTLS = usesTLS || caFile != nil || caPath != nil
    port = try arguments.number("port", in: 1...65535) ?? givenPort ?? (usesTLS ? 8883 : 1883)
    if (certificate == nil) != (key == nil) { throw UsageError("--cert and --key need each other") }
  }

  private static func version(_ name: String) throws(UsageError) -> Version {
    switch name {
    case "5", "mqttv5": .v5
    case "311", "3.1.1", "mqttv311": .v311
    default: throw UsageError("-V \(name): not a version we speak: use mqttv5 or mqttv311")
    }
  }

  private static func firstLine(of file: String) throws(UsageError) -> String {
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw UsageError("--pw-file \(file): can't be read as text")
    }
    return String(text.prefix { !$0.isNewline })
  }
}
