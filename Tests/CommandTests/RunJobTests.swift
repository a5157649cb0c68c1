import Foundation
import Peers
import Testing

/// What `mosquitto_sub` sees of a run.
@Suite(.timeLimit(.minutes(5)))
struct RunJobTests {
  let workspace: Workspace

  init() async throws {
    workspace = try await Workspace()
  }

  @Test("The steps a command prints arrive as progress, and its end as done")
  func steps() async throws {
    let outcome = try await workspace.run("$RUN sh -c 'echo \"[1/4] a\"; echo \"[3/4] b\"'")
    #expect(outcome.text == "[1/4] a\n[3/4] b\n")
    let progress = try await stored("_progress")
    #expect(progress["total"] as? Double == 4)
    #expect(progress["final"] as? String == "done")
    let state = try await stored("_state")
    #expect(state["state"] as? String == "done")
    #expect(state["exit"] as? Int == 0)
  }

  @Test("What was last read before a failure is the last progress, to the last byte of a gigantic output")
  func failure() async throws {
    let command = "head -c 200000000 /dev/zero; echo; echo \"[2/8] last\"; exit 7"
    let outcome = try await workspace.run("$RUN sh -c '\(command)' | tail -c 11; $RUN sh -c '\(command)' > f")
    #expect(outcome.text == "[2/8] last\n")
    #expect(outcome.status == 7)
    let progress = try await stored("_progress")
    #expect(progress["done"] as? Double == 2 && progress["total"] as? Double == 8)
    #expect(progress["final"] as? String == "failed")
    let state = try await stored("_state")
    #expect(state["state"] as? String == "failed")
    #expect(state["exit"] as? Int == 7)
  }

  @Test("A redraw that is never ended, on a terminal and on standard error, arrives while the command runs")
  func liveRedraw() async throws {
    let terminal = try Terminal()
    let process = try workspace.start(
      "$RUN sh -c 'printf \"\\r 5%% \\r 42%% done\" >&2; while [ ! -e go ]; do sleep 0.02; done'",
      errors: terminal.line)
    var percent: Double?
    let deadline = ContinuousClock.now + .seconds(60)
    while percent != 42 {
      try #require(ContinuousClock.now < deadline)
      percent = try await stored("_progress")["percent"] as? Double
    }
    _ = try workspace.create("go")
    #expect(try await process.end() == 0)
  }

  @Test("Killed itself, run is reported as lost")
  func lost() async throws {
    let process = try workspace.start(
      "exec $RUN sh -c 'touch ready; while [ ! -e go ]; do sleep 0.02; done; touch finished'")
    try await eventually { workspace.exists("ready") }
    while try await stored("_state")["state"] as? String != "running" {}
    process.kill(SIGKILL)
    #expect(try await process.end() == 128 + SIGKILL)
    while try await stored("_state")["state"] as? String != "lost" {}
    _ = try workspace.create("go")
    try await eventually { workspace.exists("finished") }
  }

  /// The retained message of the job; waits for one.
  private func stored(_ level: String) async throws -> [String: Any] {
    let outcome = try await workspace.run("mosquitto_sub -h 127.0.0.1 -p $PORT -t test/job/\(level) -C 1")
    return try #require(try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any])
  }
}
