import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RunStatusTests {
  let workspace: Workspace

  init() async throws {
    workspace = try await Workspace()
  }

  @Test(
    "The exit status is the command's own",
    arguments: [
      ("true", 0), ("exit 7", 7), ("exit 255", 255), ("kill -TERM $$", 143), ("kill -KILL $$", 137),
      ("kill -SEGV $$", 139), ("kill -PIPE $$", 141),
    ])
  func exitStatus(script: String, status: Int32) async throws {
    for options in ["", "--parser none"] {
      let outcome = try await workspace.run("$SB run --job test/job \(options) -- sh -c '\(script)'")
      #expect(outcome == Outcome(status: status, output: Data(), errors: Data()))
    }
  }

  @Test("A command that does not exist is 127, one that can't be run is 126, in a line each")
  func notStarted() async throws {
    let missing = try await workspace.run("$RUN no-such-command-here arg")
    #expect(missing.status == 127)
    #expect(missing.errorText.hasPrefix("signalbox: no-such-command-here: command not found"))
    #expect(missing.errorText.filter(\.isNewline).count == 1)
    _ = try workspace.create("plain", Data("echo plain".utf8))
    let denied = try await workspace.run("$RUN ./plain")
    #expect(denied.status == 126)
    #expect(denied.errorText.hasPrefix("signalbox: ./plain: can't be run: "))
    #expect(try await workspace.run("$RUN /").status == 126)
  }

  @Test("A script without #! is run by sh, as shells do")
  func plainScript() async throws {
    let make = "echo 'echo \"plain $1\"' > plain; chmod +x plain"
    let outcome = try await workspace.run("\(make); $RUN ./plain 'a b'")
    #expect(outcome == Outcome(status: 0, output: Data("plain a b\n".utf8), errors: Data()))
  }

  @Test(
    "A signal sent to run alone reaches the command",
    arguments: [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2])
  func forwarded(signal: Int32) async throws {
    let process = try workspace.start(
      """
      exec $RUN sh -c 'trap "echo got >> got; exit 9" \(signal)
        touch ready; while :; do sleep 0.02; done'
      """)
    try await eventually { workspace.exists("ready") }
    process.kill(signal)
    #expect(try await process.end() == 9)
    #expect(workspace.text("got") == "got\n")
  }

  @Test("A command that ends by a forwarded signal ends run with 128 + n")
  func endsByForwarded() async throws {
    let process = try workspace.start("exec $RUN sh -c 'echo $$ > pid; touch ready; exec sleep 1000'")
    try await eventually { workspace.exists("ready") }
    process.kill(SIGTERM)
    #expect(try await process.end() == 143)
  }

  @Test("A signal that was ignored before run is ignored by the command too, as under nohup")
  func staysIgnored() async throws {
    let outcome = try await workspace.run(
      "trap '' HUP TERM; $RUN sh -c 'kill -HUP $$; kill -TERM $$; echo alive'")
    #expect(outcome == Outcome(status: 0, output: Data("alive\n".utf8), errors: Data()))
  }

  @Test("SIGPIPE is for the command what it was for run")
  func brokenPipe() async throws {
    let usual = try await workspace.run("$RUN sh -c 'kill -PIPE $$; echo alive'")
    #expect(usual.status == 141)
    let ignored = try await workspace.run("trap '' PIPE; $RUN sh -c 'kill -PIPE $$; echo alive'")
    #expect(ignored.text == "alive\n")
  }

  @Test("Stopped and continued by its process id, run and its command stop and go on")
  func stopAndContinue() async throws {
    let process = try workspace.start(
      "exec $RUN sh -c 'echo $$ > pid; touch ready; while [ ! -e go ]; do sleep 0.02; done; exit 4'")
    try await eventually { workspace.exists("ready") }
    let child = workspace.text("pid").trimmingCharacters(in: .newlines)
    let run = "\(process.pid)"
    process.kill(SIGTSTP)
    for pid in [child, run] { try await untilState(of: pid, isStopped: true) }
    process.kill(SIGCONT)
    for pid in [child, run] { try await untilState(of: pid, isStopped: false) }
    _ = try workspace.create("go")
    #expect(try await process.end() == 4)
  }

  @Test("Wrong arguments are 2, in one line that says what to do")
  func usage() async throws {
    for arguments in ["run -- true", "run --job a", "run --job a --parser x -- true", "nope", "run --nope"] {
      let outcome = try await workspace.run("$SB \(arguments)")
      #expect(outcome.status == 2, "\(arguments)")
      #expect(outcome.errorText.hasPrefix("signalbox: "))
      #expect(outcome.errorText.filter(\.isNewline).count == 1)
      #expect(outcome.output.isEmpty)
    }
  }

  @Test("Help and version go to standard output, examples first")
  func help() async throws {
    let general = try await workspace.run("$SB --help")
    #expect(general.status == 0 && general.text.contains("signalbox run"))
    #expect(try await workspace.run("$SB --version").text.hasPrefix("signalbox "))
    let run = try await workspace.run("$SB run --help")
    #expect(run.status == 0)
    let example = try #require(run.text.range(of: "-- ninja"))
    let options = try #require(run.text.range(of: "--job TOPIC "))
    #expect(example.lowerBound < options.lowerBound)
  }

  private func untilState(of pid: String, isStopped: Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await workspace.run("ps -o stat= -p \(pid)").text.hasPrefix("T") != isStopped {
      try #require(ContinuousClock.now < deadline)
    }
  }
}
