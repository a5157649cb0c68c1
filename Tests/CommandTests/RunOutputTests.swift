import Fuzzing
import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct RunOutputTests {
  let workspace: Workspace

  init() async throws {
    workspace = try await Workspace()
  }

  @Test(
    "Each stream is byte for byte what it is without run",
    arguments: [
      "$RUN cat random",
      "$RUN cat random | cat",
      "$RUN sh -c 'cat random; cat random >&2'",
      "$RUN sh -c 'cat random | tee /dev/stderr'",
      "$RUN printf 'no line end'",
      "$RUN printf '[1/3] a\\r 50%%\\r\\n[2/3] b'",
      "$RUN sh -c 'dd if=random bs=7 count=3000 status=none; dd if=random bs=13 count=2000 status=none >&2'",
      "$RUN true",
      "$RUN cat random > direct; cat direct",
      "echo before > f; $RUN echo more >> f; echo after >> f; cat f",
      "{ echo before; $RUN echo more; echo after; } > f; cat f",
    ])
  func streams(script: String) async throws {
    try fillRandom()
    let without = try await workspace.run(script, withRun: false)
    let with = try await workspace.run(script)
    #expect(with == without)
    #expect(without.output.count + without.errors.count > 0 || script == "$RUN true")
  }

  @Test(
    "Both streams in one file keep the order of the writes",
    arguments: [
      "$RUN sh mixed 2>&1",
      "$RUN sh mixed 2>&1 | cat",
      "$RUN sh mixed > f 2>&1; cat f",
      "rm -f f; $RUN sh mixed >> f 2>&1; cat f",
      "$RUN sh -c 'sh mixed & wait' 2>&1 | cat",
    ])
  func merged(script: String) async throws {
    let lines = """
      i=0
      while [ $i -lt 3000 ]; do
        echo "out $i"; echo "err $i" >&2; printf 'part'; printf 'rest ' >&2; i=$((i+1))
      done
      """
    _ = try workspace.create("mixed", Data(lines.utf8))
    let without = try await workspace.run(script, withRun: false)
    let with = try await workspace.run(script)
    #expect(without.output.count > 60_000)
    #expect(with == without)
  }

  @Test("Two openings of one file still overwrite each other, as they do without run")
  func twoOpenings() async throws {
    let script =
      "$RUN sh -c 'echo 123456; while [ ! -s f ]; do sleep 0.02; done; echo abc >&2' > f 2> f; cat f"
    let without = try await workspace.run(script, withRun: false)
    #expect(without.text == "abc\n56\n")
    #expect(try await workspace.run(script) == without)
  }

  @Test("A part of a line is there at once, while the command goes on")
  func promptness() async throws {
    let output = try workspace.create("out")
    let process = try workspace.start(
      "$RUN sh -c 'printf part; while [ ! -e go ]; do sleep 0.02; done; echo rest' | cat", output: output)
    try await eventually { workspace.text("out") == "part" }
    _ = try workspace.create("go")
    #expect(try await process.end() == 0)
    #expect(workspace.text("out") == "partrest\n")
  }

  @Test("Standard input reaches the command, all of it")
  func standardInput() async throws {
    try fillRandom()
    let outcome = try await workspace.run("$RUN cat < random; cat random | $RUN wc -c | tr -d ' '")
    #expect(outcome.output == (try workspace.read("random")) + Data("3000000\n".utf8))
  }

  @Test("What the command leaves of standard input is there for the next one")
  func restOfInput() async throws {
    let outcome = try await workspace.run("printf 'a\\nb\\n' | { $RUN sh -c 'read x; echo $x'; cat; }")
    #expect(outcome.text == "a\nb\n")
  }

  @Test("A reader that goes away ends the command by SIGPIPE, and the writer before it too")
  func closedOutput() async throws {
    let outcome = try await workspace.run("$RUN sh -c 'yes; echo $? > status' | head -n 1")
    #expect(outcome.text == "y\n")
    try await eventually { workspace.text("status") == "141\n" }
    let upstream = try await workspace.run("{ yes; echo $? > upstream; } | $RUN head -n 1")
    #expect(upstream.text == "y\n")
    try await eventually { workspace.text("upstream") == "141\n" }
  }

  @Test("A command that closes its output lets the reader go on, though it works on")
  func closesItsOutput() async throws {
    let output = try workspace.create("out")
    let process = try workspace.start(
      "$RUN sh -c 'echo a; exec >&-; while [ ! -e go ]; do sleep 0.02; done' | { cat; echo end; }",
      output: output)
    try await eventually { workspace.text("out") == "a\nend\n" }
    _ = try workspace.create("go")
    _ = try await process.end()
  }

  @Test("Closed standard streams stay closed, and other descriptors stay open")
  func unusualDescriptors() async throws {
    for script in [
      "$RUN sh -c 'echo x' >&-; echo $?", "$RUN sh -c 'echo x >&2' 2>&-; echo $?",
      "$RUN sh -c 'read x; echo $?' <&-", "$RUN sh -c 'echo x >&5' 5>f; cat f",
    ] {
      let without = try await workspace.run(script, withRun: false)
      let with = try await workspace.run(script)
      #expect(with.output == without.output, "\(script)")
      #expect(with.status == without.status, "\(script)")
    }
  }

  @Test("A background child of the command keeps nobody waiting, and writes on afterwards")
  func backgroundChild() async throws {
    for merge in ["", "2>&1"] {
      for name in ["go", "out", "wrote"] where workspace.exists(name) {
        try FileManager.default.removeItem(at: workspace.folder.appendingPathComponent(name))
      }
      let output = try workspace.create("out")
      let process = try workspace.start(
        """
        $RUN sh -c '(while [ ! -e go ]; do sleep 0.02; done; cat /dev/zero | head -c 300000; echo late
          echo $? > wrote) & head -c 200000 /dev/zero; echo now' \(merge)
        """, output: output)
      #expect(try await process.end() == 0)
      #expect(try workspace.read("out").count == 200_004)
      _ = try workspace.create("go")
      try await eventually { workspace.text("wrote") == "0\n" }
      try await eventually { (try? workspace.read("out").count) == 500_009 }
    }
  }

  @Test("Killed itself, run leaves the command alive and its output whole")
  func killed() async throws {
    let output = try workspace.create("out")
    let process = try workspace.start(
      """
      exec $RUN sh -c 'echo $$ > pid; echo first; while [ ! -e go ]; do sleep 0.02; done
        head -c 3000000 /dev/zero; echo error >&2; echo $? > finished'
      """, output: output, errors: output)
    try await eventually { workspace.text("out") == "first\n" }
    process.kill(SIGKILL)
    #expect(try await process.end() == 128 + SIGKILL)
    let child = try #require(pid_t(workspace.text("pid").trimmingCharacters(in: .newlines)))
    #expect(isAlive(child))
    _ = try workspace.create("go")
    try await eventually { workspace.text("finished") == "0\n" }
    try await eventually { (try? workspace.read("out").count) == 3_000_012 }
    try await eventually { !isAlive(child) }
  }

  @Test("A run that is halted does not halt the output")
  func halted() async throws {
    let output = try workspace.create("out")
    let process = try workspace.start(
      """
      exec $RUN sh -c 'echo first; while [ ! -e go ]; do sleep 0.02; done
        head -c 5000000 /dev/zero; touch finished'
      """, output: output)
    try await eventually { workspace.text("out") == "first\n" }
    process.kill(SIGSTOP)
    _ = try workspace.create("go")
    try await eventually { workspace.exists("finished") }
    try await eventually { (try? workspace.read("out").count) == 5_000_006 }
    process.kill(SIGCONT)
    #expect(try await process.end() == 0)
  }

  private func fillRandom() throws {
    var random = Dice(seed: 42)
    let words = (0..<375_000).map { _ in random.next() }
    _ = try workspace.create("random", words.withUnsafeBytes { Data($0) })
  }
}
