import MQTT
import Signals
import Testing

struct ConnectionOptionsTests {
  @Test(
    "A URL says where to connect",
    arguments: [
      ("mqtt://localhost", .tcp(host: "localhost", port: 1883)),
      ("mqtt://broker.example:2000/", .tcp(host: "broker.example", port: 2000)),
      ("tcp://127.0.0.1:1", .tcp(host: "127.0.0.1", port: 1)),
      ("localhost:1884", .tcp(host: "localhost", port: 1884)),
      ("localhost", .tcp(host: "localhost", port: 1883)),
      ("mqtt://[::1]:1884", .tcp(host: "::1", port: 1884)), ("MQTT://[::1]", .tcp(host: "::1", port: 1883)),
      ("mqtt://[fe80::1%25lo]", .tcp(host: "fe80::1%lo", port: 1883)),
      ("mqtt://[fe80::1%lo]:1", .tcp(host: "fe80::1%lo", port: 1)),
      ("mqtts://localhost", .tcp(host: "localhost", port: 8883)),
      ("tls://[::1]", .tcp(host: "::1", port: 8883)), ("SSL://h:1", .tcp(host: "h", port: 1)),
      ("unix:///run/a%20b.sock", .unix(path: "/run/a b.sock")),
    ] as [(String, Endpoint)])
  func endpoint(_ url: String, _ expected: Endpoint) throws {
    let options = try ConnectionOptions(url: url)
    #expect(options.endpoint == expected)
    #expect(options.endpoints == [expected])
    #expect(options.user == nil && options.password == nil)
    let isSecure = ["mqtts", "tls", "SSL"].contains { url.hasPrefix("\($0)://") }
    #expect(options.tls == (isSecure ? TLSOptions() : nil))
  }

  @Test(
    "A URL may name several hosts, tried in its order",
    arguments: [
      ("mqtt://a,b", ["a:1883", "b:1883"]),
      ("mqtt://me:p,w@a:1,[::1]:2,c/x,y", ["a:1", "[::1]:2", "c:1883"]),
      ("a:1,b:2", ["a:1", "b:2"]),
    ] as [(String, [String])])
  func severalHosts(_ url: String, _ expected: [String]) throws {
    let options = try ConnectionOptions(url: url)
    #expect(options.endpoints.map(\.description) == expected)
    #expect(options.description.hasPrefix(expected.joined(separator: ",")))
    #expect(options.user == nil || options.password == "p,w")
  }

  @Test("A URL may carry user and password, also with characters that URLs reserve")
  func login() throws {
    let options = try ConnectionOptions(url: "mqtt://al%40ice:p%3Aa%2Fss:w@host:1885")
    #expect(options.user == "al@ice")
    #expect(options.password == "p:a/ss:w")
    #expect(options.endpoint == .tcp(host: "host", port: 1885))
  }

  @Test(
    "A URL that is none is refused with a reason",
    arguments: [
      "", "mqtt://", "mqtt://:1883", "mqtt://host:", "mqtt://host:0", "mqtt://host:65536", "mqtt://host:x",
      "http://host", "mqtts://", "mqtts://host:0", "unix://run/x", "unix://", "mqtt://u%zz@host",
      "mqtt://u%4@host",
      "mqtt://[::1", "mqtt://[::1]1883",
      "mqtt://u:50%+1@host", "mqtt://u:%-0@host", "mqtt://host:+1883", "mqtt://a b", "mqtt://a, b",
      "mqtt://a\n",
      "mqtt://host#x", "mqtt://[a/b]",
      "mqtt://a,", "mqtt://,a", "mqtt://a,,b", "mqtt://a,b:0", "mqtt://,",
    ])
  func refuses(_ url: String) {
    #expect(throws: ConnectionError.self) { try Connection(ConnectionOptions(url: url)) }
  }

  @Test("The password shows nowhere")
  func passwordIsHidden() throws {
    let options = try ConnectionOptions(url: "mqtt://alice:hunter2@host")
    var dumped = ""
    dump(options, to: &dumped)
    for text in ["\(options)", String(reflecting: options), String(describing: options), dumped] {
      #expect(!text.contains("hunter2"))
      #expect(text.contains("alice"))
    }
    for url in ["mqtt://alice:hunter2@host:x", "mqtts://alice:hunter2@host:x", "mqtt://alice:hunter2%@host"] {
      let error = #expect(throws: ConnectionError.self) { try ConnectionOptions(url: url) }
      #expect(error.map { "\($0)".contains("hunter2") } == false)
    }
  }

  @Test("Options that can't work are refused before anything is sent")
  func refusesBadOptions() throws {
    func refused(_ change: (inout ConnectionOptions) throws -> Void) rethrows {
      var options = ConnectionOptions(host: "127.0.0.1")
      try change(&options)
      #expect(throws: ConnectionError.self) { try Connection(options) }
    }
    refused { $0.backoff = .none }
    refused { $0.backoff = Backoff(initial: .zero) }
    refused { $0.backoff = Backoff(initial: .microseconds(999)) }
    refused { $0.backoff = Backoff(initial: .seconds(1), maximum: .microseconds(999)) }
    refused { $0.connectDeadline = .zero }
    refused { $0.acknowledgementDeadline = .zero }
    refused { $0.inboxLimits.count = 0 }
    refused { $0.inboxLimits.bytes = 0 }
    refused { $0.outboxLimits.count = -1 }
    refused { $0.outboxLimits.bytes = -1 }
    refused { $0.endpoints = [] }
    refused { $0.endpoints.append(.tcp(host: "b", port: 0)) }
    refused {
      $0.user = "ann"; $0.credentials = { Credentials(user: "ann") }
    }
    refused { $0.keepAlive = .seconds(4) }
    refused { $0.keepAlive = .seconds(65_536) }
    refused { $0.acknowledgementDeadline = .zero }
    refused { $0.outboxLimits.count = 0 }
    refused { $0.outboxLimits.bytes = -1 }
    refused { $0.inboxLimits.count = 0 }
    refused { $0.inboxLimits.bytes = 0 }
    refused { $0.window = 0 }
    refused { $0.password = "x" }
    refused { $0.user = "a\0b" }
    refused { $0.clientID = "a\0b" }
    refused {
      $0.clientID = ""; $0.sessionExpiry = .seconds(1)
    }
    refused { $0.endpoint = .unix(path: String(repeating: "a", count: 104)) }
    refused { $0.endpoint = .tcp(host: "", port: 1) }
    try refused { $0.will = Will(try Topic("a"), [UInt8](repeating: 0, count: 65_536)) }
    try refused { $0.will = Will(try Topic("a"), [], properties: .init(contentType: "a\0")) }
  }

  @Test("Two clients made alike don't push each other out")
  func clientIDs() {
    let ids = (0..<100).map { _ in ConnectionOptions(host: "localhost").clientID }
    #expect(Set(ids).count == 100)
    #expect(ids.allSatisfy { (1...23).contains($0.utf8.count) })
  }
}
