import Foundation
import SignalBox
import Testing

@testable import SignalBoxCommand

/// One after the other: getopt(3) has one state for the whole process.
@Suite(.serialized)
struct ArgumentsTests {
  static let flags =
    [
      Flag("job", nil, "TOPIC", help: ""), Flag("json", nil, help: ""), Flag("verbose", "v", help: ""),
    ] + ConnectionFlags.flags + [.help]

  @Test("Options are understood in every way that getopt_long knows")
  func forms() throws {
    let arguments = try parse(["-h", "a", "-pPORT", "--job=j", "--usern", "me", "-vq1", "x", "--json", "y"])
    #expect(arguments["host"] == "a")
    #expect(arguments["port"] == "PORT")
    #expect(arguments["job"] == "j")
    #expect(arguments["username"] == "me")
    #expect(arguments["qos"] == "1")
    #expect(arguments.has("verbose") && arguments.has("json") && !arguments.has("help"))
    #expect(try arguments.operands == ["x", "y"])
  }

  @Test("Two dashes end the options, and so does the command of run")
  func endOfOptions() throws {
    #expect(try parse(["a", "--", "--json", "-h"]).operands == ["a", "--json", "-h"])
    let run = try parse(["--job", "j", "make", "-j", "4", "--", "x"], endsAtOperand: true)
    #expect(try run.operands == ["make", "-j", "4", "--", "x"])
    #expect(try parse(["--job", "j", "--", "make", "-j"], endsAtOperand: true).operands == ["make", "-j"])
    #expect(try parse(["-"]).operands == ["-"])
  }

  @Test("The last of two wins, and a scan remembers nothing of the one before")
  func repeats() throws {
    #expect(try parse(["-h", "a", "-h", "b"])["host"] == "b")
    #expect(try parse([])["host"] == nil)
    #expect(throws: UsageError.self) { try parse(["-vvZ"]) }
    #expect(try parse(["-v", "x"]).operands == ["x"])
  }

  @Test(
    "An error names the option at fault and never its argument",
    arguments: [
      (["--nope=secret"], "unknown option --nope: see --help"),
      (["-Z"], "unknown option -Z: see --help"),
      (["-5"], "unknown option -5: put -- before a value that begins with -"),
      (["-vZ"], "unknown option -Z: see --help"),
      (["--job"], "--job needs an argument: see --help"),
      (["x", "-h"], "-h needs an argument: see --help"),
      (["--json=secret"], "unknown option --json: see --help"),
    ])
  func errors(argv: [String], message: String) {
    let error = #expect(throws: UsageError.self) { try parse(argv) }
    #expect(error?.description == message)
  }

  @Test("Bytes that are no text reach a command unchanged, and are refused where text is needed")
  func bytes() throws {
    let word = try #require(strdup("a"))
    word[0] = CChar(bitPattern: 0xff)
    defer { free(word) }
    let arguments = try Arguments(argv: strings([]) + [word], flags: Self.flags)
    #expect(arguments.rawOperands == [word])
    #expect(throws: UsageError.self) { try arguments.operands }
    #expect(throws: UsageError.self) { try Arguments(argv: strings(["--job"]) + [word], flags: Self.flags) }
  }

  @Test("A password given as an argument is overwritten where ps would show it")
  func secretsAreOverwritten() throws {
    for argv in [["-P", "s3cret"], ["-Ps3cret"], ["--pw=s3cret"]] {
      let pointers = strings(argv)
      defer { for pointer in pointers { free(pointer) } }
      #expect(try Arguments(argv: pointers, flags: Self.flags)["pw"] == "s3cret")
      #expect(!pointers.contains { String(cString: $0).contains("s3cret") })
    }
  }

  @Test("The password inside a url is overwritten too")
  func urlSecretsAreOverwritten() throws {
    let pointers = strings(["-L", "mqtt://me:s3cret@host/t"])
    defer { for pointer in pointers { free(pointer) } }
    let arguments = try Arguments(argv: pointers, flags: Self.flags)
    #expect(arguments["url"] == "mqtt://me:s3cret@host/t")
    #expect(String(cString: pointers[2]) == "mqtt://me:xxxxxx@host/t")
  }

  @Test("Connection options mean what they mean to mosquitto_sub")
  func connection() throws {
    let flags = try connect(["-h", "b", "-u", "me", "-i", "id", "-q", "1", "-k", "5", "-V", "311"])
    #expect(flags.options.endpoint == .tcp(host: "b", port: 1883))
    #expect(flags.options.user == "me" && flags.options.clientID == "id")
    #expect(flags.options.keepAlive == .seconds(5) && flags.options.version == .v311)
    #expect(flags.qos == .atLeastOnce)
    #expect(try connect(["--unix", "/s"]).options.endpoint == .unix(path: "/s"))
    let plain = try connect([])
    #expect(plain.options.endpoint == .tcp(host: "localhost", port: 1883))
    #expect(plain.options.version == .v5 && plain.qos == nil && plain.topic == nil)
  }

  @Test("A url gives everything at once, and single options override it")
  func url() throws {
    let url = "mqtt://me:p%40ss@host:1234/home/+/x"
    let flags = try connect(["-L", url, "-p", "99"])
    #expect(flags.options.endpoint == .tcp(host: "host", port: 99))
    #expect(flags.options.user == "me" && flags.options.password == "p@ss")
    #expect(flags.topic == "home/+/x")
    let other = try connect(["-h", "other"], ["SIGNALBOX_URL": url])
    #expect(other.options.endpoint == .tcp(host: "other", port: 1234))
    let given = try connect(["--url", "mqtt://[::1]"], ["SIGNALBOX_URL": url])
    #expect(given.options.endpoint == .tcp(host: "::1", port: 1883))
    #expect(given.topic == nil)
    #expect(try connect(["--url", "unix:///run/s"]).topic == nil)
    let several = try connect(["--url", "mqtt://a:1,b/home/#", "-p", "99"])
    #expect(several.options.endpoints == ["a", "b"].map { .tcp(host: $0, port: 99) })
    #expect(several.topic == "home/#")
  }

  @Test("The password is taken from -P, the file, the url and the environment, in this order")
  func passwords() throws {
    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
    defer { try? FileManager.default.removeItem(atPath: file) }
    try Data("from file\nmore".utf8).write(to: URL(fileURLWithPath: file))
    let environment = ["SIGNALBOX_PASSWORD": "from environment"]
    func password(_ argv: [String]) throws -> String? { try connect(argv, environment).options.password }
    #expect(try password(["-u", "a"]) == "from environment")
    #expect(try password([]) == nil)
    #expect(try password(["-L", "mqtt://a:url@b"]) == "url")
    #expect(try password(["-L", "mqtt://a:url@b", "--pw-file", file]) == "from file")
    var warnings = 0
    let given = try parse(["-u", "a", "-P", "argument", "-P", "argument", "--pw-file", file])
    let flags = try ConnectionFlags(given, environment: environment) { _ in warnings += 1 }
    #expect(flags.options.password == "argument")
    #expect(warnings == 1)
  }

  @Test(
    "Values that can't be are refused, without showing a password",
    arguments: [
      ["-p", "0"], ["-p", "70000"], ["-q", "3"], ["-k", "-1"], ["-V", "4"], ["-L", "http://x"],
      ["-L", "mqtt://u:s3cret@"], ["-L", "mqtt://u:s3cret@h:x"], ["-L", "mqtt://u:s3cret%zz@h"],
      ["-P", "s3cret"], ["--pw-file", "/nonexistent/file"], ["--cafile", "x"], ["--insecure"],
    ])
  func refusals(argv: [String]) {
    let error = #expect(throws: UsageError.self) { try connect(argv) }
    #expect(error?.description.contains("s3cret") == false)
    #expect(error?.description.contains("\n") == false)
  }

  /// An argv as the system makes it, for the test to free.
  private func strings(_ arguments: [String]) -> [UnsafeMutablePointer<CChar>] {
    (["signalbox"] + arguments).map { (argument: String) in strdup(argument) }
  }

  private func parse(_ argv: [String], endsAtOperand: Bool = false) throws -> Arguments {
    // Not freed: an argv lasts as long as the process.
    try Arguments(argv: strings(argv), flags: Self.flags, endsAtOperand: endsAtOperand)
  }

  private func connect(
    _ argv: [String], _ environment: [String: String] = [:]
  ) throws -> ConnectionFlags {
    try ConnectionFlags(parse(argv), environment: environment) { _ in }
  }
}
