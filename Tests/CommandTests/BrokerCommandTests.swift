import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct BrokerCommandTests {
  let workspace: Workspace

  init() async throws {
    workspace = try await Workspace()
  }

  @Test(
    "The broker command prints the url, serves, and leaves nothing behind",
    arguments: [SIGINT, SIGTERM, SIGHUP])
  func untilSignal(signal: Int32) async throws {
    let (process, broker, folder) = try await start()
    process.kill(signal)
    #expect(try await process.end() == 0)
    #expect(!isAlive(broker))
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test("Killed itself, the broker command leaves no broker and no folder behind either")
  func killed() async throws {
    let (process, broker, folder) = try await start()
    process.kill(SIGKILL)
    #expect(try await process.end() == 128 + SIGKILL)
    try await eventually { !isAlive(broker) && !FileManager.default.fileExists(atPath: folder) }
  }

  @Test("When the broker is killed, the command says so and fails")
  func brokerDies() async throws {
    let (process, broker, folder) = try await start()
    kill(broker, SIGKILL)
    #expect(try await process.end() == 1)
    #expect(workspace.text("err").contains("the broker ended by itself"))
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test("A port that can't be and a folder that can't be made are told in one line")
  func refusals() async throws {
    let port = try await workspace.run("$SB broker --port 99999")
    #expect(port.status == 2)
    #expect(port.errorText == "signalbox: broker: --port 99999: not a number from 1 to 65535\n")
    let nameless = try await workspace.run("$SB broker --keep ''")
    #expect(nameless.status == 2)
    let folder = try await workspace.run("$SB broker --keep /dev/null/x")
    #expect(folder.status == 1)
    #expect(folder.errorText == "signalbox: broker: /dev/null/x can't be made a folder: Not a directory\n")
  }

  @Test("A signal that comes while the broker is being started ends the command too", arguments: 0..<12)
  func earlySignal(step: Int) async throws {
    let process = try workspace.start("exec $SB broker")
    try await Task.sleep(for: .milliseconds(4 * step))
    process.kill(SIGTERM)
    // 143 when it came before anything was begun.
    #expect([0, 128 + SIGTERM].contains(try await process.end()))
  }

  /// A broker that has printed its url, with its own process and folder.
  private func start() async throws -> (Child, broker: pid_t, folder: String) {
    let process = try workspace.start(
      "exec $SB broker", output: try workspace.create("out"), errors: try workspace.create("err"))
    try await eventually { workspace.text("out").hasSuffix("\n") }
    let url = workspace.text("out").trimmingCharacters(in: .newlines)
    let port = try #require(url.split(separator: ":").last)
    #expect(url == "mqtt://127.0.0.1:\(port)")
    let sent = try await workspace.run("mosquitto_pub -h 127.0.0.1 -p \(port) -t t -m 1")
    #expect(sent.status == 0)
    let table = try await workspace.run("ps -eo pid=,args=").text.split(separator: "\n")
    for line in table {
      let words = line.split(separator: " ")
      guard words.count == 4, words[1].hasSuffix("/mosquitto"), words[2] == "-c" else { continue }
      let configuration = String(words[3])
      guard let text = try? String(contentsOfFile: configuration, encoding: .utf8),
        text.contains("listener \(port) 127.0.0.1")
      else { continue }
      let folder = String(configuration.dropLast("/mosquitto.conf".count))
      return (process, try #require(pid_t(words[0])), folder)
    }
    throw Missing()
  }

  private struct Missing: Error {}
}
