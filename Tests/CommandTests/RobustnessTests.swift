import Brokers
import Foundation
import Peers
import Testing

/// The built command on what people do to it.
@Suite(.timeLimit(.minutes(5)))
struct RobustnessTests {
  let workspace: Workspace

  init() async throws {
    workspace = try await Workspace()
  }

  @Test("A file name that is no UTF-8 reaches the command under run as it is")
  func argumentBytes() async throws {
    let script = "$RUN printf '%s|' '' \"$(printf '\\377a\\nb')\""
    let outcome = try await workspace.run(script)
    #expect(outcome == (try await workspace.run(script, withRun: false)))
    #expect(outcome.output == Data([0x7c, 0xff, 0x61, 0x0a, 0x62, 0x7c]))
  }

  @Test(
    "A job topic that is refused is refused before the command has run",
    arguments: ["''", "'a/#'", "\"$(printf 'a/\\377')\"", "\"$(printf 'a\\nb')\""])
  func refusedTopic(topic: String) async throws {
    let outcome = try await workspace.run("$SB run --job \(topic) -- touch ran")
    #expect(outcome.status == 2)
    #expect(outcome.errorText.filter(\.isNewline).count == 1)
    #expect(!workspace.exists("ran"))
  }

  @Test("Published values keep every byte, from the argument and line by line, whatever ends the lines")
  func publishedBytes() async throws {
    let seen = try workspace.create("seen")
    let reader = try workspace.start("exec $SB subscribe -C 6 'in/#'", output: seen)
    try await workspace.broker.waitForLog("Sending SUBACK")
    let outcome = try await workspace.run(
      """
      $SB publish in/a \"$(printf 'a\\377b')\"
      printf '1\\r\\n\\377\\n 2 \\n3\\n\\r4' | $SB publish in/b -
      """)
    #expect(outcome == Outcome(status: 0, output: Data(), errors: Data()))
    #expect(try await reader.end() == 0)
    #expect(
      try workspace.read("seen")
        == Data(
          "a\u{fe}b\n1\n\u{fe}\n 2 \n3\n\r4\n".unicodeScalars.map {
            $0 == "\u{fe}" ? 0xff : UInt8($0.value)
          }))
  }

  @Test("A topic that is no UTF-8 is refused instead of becoming another one")
  func topicBytes() async throws {
    for command in ["publish \"$(printf 'a/\\377')\" 1", "subscribe \"$(printf 'a/\\377')\""] {
      #expect(try await workspace.run("$SB \(command)").status == 2)
    }
  }

  @Test("A password can come from a pipe, as from <(…) of a shell")
  func passwordFromPipe() async throws {
    let outcome = try await workspace.run(
      "mkfifo secret; (echo s3cret > secret) & $SB publish -u me --pw-file secret t 1")
    #expect(outcome == Outcome(status: 0, output: Data(), errors: Data()))
  }

  @Test("Results that a full disk does not take are an error")
  func fullDisk() async throws {
    guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
    let outcome = try await workspace.run(
      "$SB publish -r t 1; $SB subscribe -C 1 t > /dev/full; echo $?; $SB --help > /dev/full; echo $?")
    #expect(outcome.text == "1\n1\n")
    #expect(outcome.errorText.split(separator: "\n").count == 2)
    #expect(outcome.errorText.hasPrefix("signalbox: subscribe: can't write to standard output: "))
  }

  @Test("A pipe that somebody made non-blocking gets the whole of a large value")
  func nonBlockingOutput() async throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let (output, input) = (
      FileHandle(fileDescriptor: ends[0], closeOnDealloc: true),
      FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    )
    let sent = try await workspace.run(
      "head -c 900000 /dev/zero | tr '\\0' x > big; mosquitto_pub -h 127.0.0.1 -p $PORT -r -t t -f big")
    #expect(sent.status == 0)
    let process = try workspace.start("exec $SB subscribe -C 1 t", output: input)
    try input.close()
    // Only what is not read fills the pipe.
    try await workspace.broker.waitForLog("Sending PUBLISH")
    #expect(try output.readToEnd()?.count == 900_001)
    #expect(try await process.end() == 0)
  }

  @Test("Ctrl-C ends a subscriber of a broker that hangs")
  func interruptedAtHangingBroker() async throws {
    let process = try workspace.start("exec $SB subscribe t")
    try await workspace.broker.waitForLog("Sending SUBACK")
    await workspace.broker.suspend()
    process.kill(SIGINT)
    #expect(try await process.end() == 130)
    await workspace.broker.resume()
  }

  @Test("A report that says nothing, and one that says it twice, are refused")
  func uselessReports() async throws {
    for options in ["--total 3", "--unit files", "- --done 3", "- --message x", "3 --fraction 0.5"] {
      let outcome = try await workspace.run("$SB report jobs/a \(options) < /dev/null")
      #expect(outcome.status == 2, "\(options)")
      #expect(outcome.errorText.filter(\.isNewline).count == 1)
    }
  }

  @Test(
    "Where nobody reaps orphans, run leaves no zombie of its own", arguments: ["echo a", "no-such-command"])
  func noZombies(command: String) async throws {
    guard FileManager.default.fileExists(atPath: "/proc/self/stat") else { return }
    // The group tells our relays from those of other tests.
    let process = try workspace.start(
      "$RUN \(command); echo $$ > shell; while [ ! -e go ]; do sleep 0.02; done")
    try await eventually { workspace.text("shell").hasSuffix("\n") }
    let group = workspace.text("shell").trimmingCharacters(in: .newlines)
    let table = try await workspace.run("ps -eo pgid=,stat=,comm=").text.split(separator: "\n")
    let relays = table.filter { $0.split(separator: " ")[0] == group && $0.contains("relay") }
    #expect(relays == [])
    _ = try workspace.create("go")
    #expect(try await process.end() == 0)
  }
}
