import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RunTerminalTests {
  let workspace: Workspace

  init() async throws {
    workspace = try await Workspace()
  }

  @Test("The command sees a terminal where there is one, and only there")
  func terminals() async throws {
    let probe = "sh -c 'rm -f seen; for i in 0 1 2; do [ -t $i ] && echo $i >> seen; done; true'"
    let terminal = try Terminal()
    for (redirects, seen) in [
      ("", "0\n1\n2\n"), ("> /dev/null", "0\n2\n"), ("2> /dev/null | cat", "0\n"), ("2>&1 | cat", "0\n"),
      ("< /dev/null", "1\n2\n"),
    ] {
      let process = try workspace.start(
        "$RUN \(probe) \(redirects)", input: terminal.line, output: terminal.line, errors: terminal.line)
      #expect(try await process.end() == 0)
      #expect(workspace.text("seen") == seen, "\(redirects)")
    }
  }

  @Test("On a terminal the output is shown as without run, each line end once")
  func shown() async throws {
    let script = "$RUN sh -c 'printf \"a\\nb\\r 50%%\\n\"; echo c >&2; printf end'"
    var texts: [String] = []
    for withRun in [false, true] {
      let terminal = try Terminal()
      let process = try workspace.start(
        script, withRun: withRun, input: terminal.line, output: terminal.line, errors: terminal.line)
      #expect(try await process.end() == 0)
      try await eventually { terminal.text.hasSuffix("end") }
      texts.append(terminal.text)
    }
    #expect(texts[0] == "a\r\nb\r 50%\r\nc\r\nend")
    #expect(texts[1] == texts[0])
  }

  @Test("Megabytes reach the terminal whole")
  func largeOutput() async throws {
    let terminal = try Terminal()
    let process = try workspace.start("$RUN seq 1 100000", output: terminal.line)
    try await eventually { terminal.text.hasSuffix("100000\r\n") && !process.isRunning }
    #expect(terminal.text == (1...100_000).map { "\($0)\r\n" }.joined())
  }

  @Test("The last line of a command that leaves a background child is not lost on a terminal")
  func backgroundChild() async throws {
    for _ in 0..<20 {
      let terminal = try Terminal()
      let process = try workspace.start(
        "$RUN sh -c 'sleep 5 & echo $! > pid; echo last'", output: terminal.line, errors: terminal.line)
      #expect(try await process.end() == 0)
      #expect(terminal.text == "last\r\n")
      if let sleeper = pid_t(workspace.text("pid").trimmingCharacters(in: .newlines)) {
        kill(sleeper, SIGKILL)
      }
    }
  }

  #if os(Linux)
    @Test("Ctrl-C reaches the command once, and run ends as the command does")
    func interrupt() async throws {
      let terminal = try Terminal()
      let process = try inForeground(
        "sh -c 'trap \"echo int >> got; touch go\" INT; touch ready; while [ ! -e go ]; do sleep 0.02; done; exit 5'",
        of: terminal)
      try await eventually { workspace.exists("ready") }
      terminal.type("\u{3}")
      #expect(try await process.end() == 5)
      #expect(workspace.text("got") == "int\n")
    }

    @Test("A command without a handler dies of Ctrl-C, and run says so by 130")
    func interruptByDefault() async throws {
      let terminal = try Terminal()
      let process = try inForeground("sh -c 'touch ready; exec sleep 1000'", of: terminal)
      try await eventually { workspace.exists("ready") }
      terminal.type("\u{3}")
      #expect(try await process.end() == 130)
    }

    @Test(
      "The command learns the size of the window, and each change of it",
      .disabled(if: isSanitized, "the thread sanitizer withholds signals from a forked process"))
    func windowSize() async throws {
      let terminal = try Terminal()
      terminal.resize(rows: 30, columns: 100)
      let process = try inForeground(
        """
        sh -c 'trap "stty size <&1 > size" WINCH; stty size <&1 > size; touch ready
          while [ ! -e go ]; do sleep 0.02; done'
        """, of: terminal)
      try await eventually { workspace.exists("ready") }
      #expect(workspace.text("size") == "30 100\n")
      terminal.resize(rows: 50, columns: 120)
      try await eventually { workspace.text("size") == "50 120\n" }
      _ = try workspace.create("go")
      #expect(try await process.end() == 0)
    }

    /// Runs `command` under `signalbox run` in a session of its own that `terminal` controls.
    private func inForeground(_ command: String, of terminal: Terminal) throws -> Child {
      try workspace.start(
        "exec setsid --ctty --wait $RUN \(command)", input: terminal.line, output: terminal.line,
        errors: terminal.line)
    }
  #endif
}

#if TSAN
  private let isSanitized = true
#else
  private let isSanitized = false
#endif
