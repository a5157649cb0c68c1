import Fuzzing
import Testing

@testable import SignalBoxCommand

struct ProgressParserTests {
  @Test(
    "Steps are read where a line starts with them",
    arguments: [
      ("[3/7] Compiling Foo.swift\n", [.steps(done: 3, total: 7)]),
      ("[1/5] a\n[2/5] b\n[2/5] c\n", [.steps(done: 1, total: 5), .steps(done: 2, total: 5)]),
      ("[ 3/10] padded\n", [.steps(done: 3, total: 10)]),
      ("\u{1b}[1m\u{1b}[32m[3/7]\u{1b}[0m coloured\n", [.steps(done: 3, total: 7)]),
      ("\u{1b}]0;title [1/2]\u{7}[3/7] titled\n", [.steps(done: 3, total: 7)]),
      ("\r[3/7] redrawn\r[4/7] redrawn", [.steps(done: 3, total: 7), .steps(done: 4, total: 7)]),
      ("[0/1] Re-running CMake...\n[1/3] x\n", [.steps(done: 0, total: 1), .steps(done: 1, total: 3)]),
      ("[7/7]", [.steps(done: 7, total: 7)]),
    ] as [(String, [ParsedProgress])])
  func steps(output: String, expected: [ParsedProgress]) {
    #expect(parse(output) == expected)
  }

  @Test(
    "Percents are read from brackets, redraws and rising lines of one shape",
    arguments: [
      ("[ 66%] Building C object\n[100%] Built target x\n", [66, 100]),
      (
        "remote: Counting objects:   1% (216/21534)   \rremote: Counting objects:   2% (431/21534)   \r",
        [1, 2]
      ),
      ("     31,835,008  35%   29.33MB/s    0:00:01  \r", [35]),
      ("copy:   8%|▊         | 5/60 [00:00<00:01, 49.63f/s]\r", [8]),
      ("####   27.6%\r#####  31,5%\r", [27.6, 31.5]),
      ("20.0MiB 0:00:01 [18.4MiB/s] [====>     ] 69% ETA 0:00:00\r", [69]),
      ("done 1%\ndone 2%\ndone 2%\ndone 3%\n", [2, 3]),
      ("[=>   ]  20%\n[==>  ]  40%\n[===> ]  60%\n", [60]),
      ("  50K .......... 10%  549M 0s\n 100K .......... 20% 5.4M 0s\n1500K .......... 30% 5,4M 0s\n", [30]),
      ("x\r\u{1b}[K12% \u{1b}[31mred\u{1b}[0m\n", [12]),
      ("\u{1b}(B\u{1b}[m7%\u{1b}(B\r\u{1b}(B8%\r", [7, 8]),
    ] as [(String, [Double])])
  func percents(output: String, expected: [Double]) {
    #expect(parse(output) == expected.map(ParsedProgress.percent))
  }

  @Test(
    "Prose, ratios and coverage are no progress",
    arguments: [
      "use 50% less memory\n",
      "coverage: 83% of statements\n",
      "coverage: 83% of statements\ncoverage: 83% of statements\ncoverage: 83% of statements\n",
      "use 50% less memory\r\nuse 60% less memory\r\n",
      "done 3%\ndone 2%\ndone 1%\n",
      "ok 10% a\nok 20% b\nok 30% c\n",
      "ratio 3/4 inch\n", "see [3/7] in the text\n", "[8/7] more than all\n", "[0/0] nothing\n",
      "[1/2\n", "[x/2]\n", "[12/25 10:00] dated\n", "[99999999999999999999/3]\n",
      "x\r%20%3Aencoded\rv1.50.%\r-5%\r+5%\r101%\r1234%\rabc50%\r50%off\r1.2.50%\r", "%\n", "[%]\n", "",
    ])
  func noProgress(output: String) {
    #expect(parse(output) == [])
  }

  @Test("Percents inside a step do not count once steps were seen")
  func stepsOutrankPercents() {
    let output = "fetch 10%\r[1/2] load\rload 50%\r[2/2] link\r"
    let expected: [ParsedProgress] = [.percent(10), .steps(done: 1, total: 2), .steps(done: 2, total: 2)]
    #expect(parse(output) == expected)
    #expect(parse(output, .percent) == [.percent(10), .percent(50)])
    #expect(parse(output, .steps) == [.steps(done: 1, total: 2), .steps(done: 2, total: 2)])
  }

  @Test("A redrawn line is read before it ends: the next redraw may be a minute away")
  func readsUnfinishedRedraw() {
    var parser = ProgressParser()
    var found: [ParsedProgress] = []
    for piece in ["start\r", " 10% a", "nd more", "\r 20", "% x"] {
      feed(&parser, Array(piece.utf8), &found)
    }
    #expect(found == [.percent(10), .percent(20)])
    feed(&parser, Array("\n[1/2] step".utf8), &found)
    #expect(found.last == .steps(done: 1, total: 2))
  }

  @Test("Where the output is cut into pieces makes no difference", arguments: 0..<300)
  func anyPieces(seed: Int) {
    var random = Dice(seed: UInt64(seed))
    let parts = [
      "[1/3] a", "[ 40%] b", " 7% x", "50%", "word", "\u{1b}[1m", "\u{1b}]0;t\u{7}", "\u{1b}", "\r", "\n",
      "\r\n", "done 1%\ndone 2%\ndone 3%\n", "é", " ", "[", "%", String(repeating: "-", count: 700),
      String(repeating: "=", count: 70_000),
    ]
    let count = Int.random(in: 1..<40, using: &random)
    let output = (0..<count).flatMap { _ in Array(parts.randomElement(using: &random)!.utf8) }
    for forms in ProgressParser.Forms.allCases {
      let whole = parse([output], forms)
      if output.count < 4096 { #expect(parse(output.map { [$0] }, forms) == whole) }
      var pieces: [[UInt8]] = []
      var rest = output[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...max(1, min(rest.count, 9000)), using: &random)
        pieces.append(Array(rest.prefix(size)))
        rest = rest.dropFirst(size)
      }
      #expect(parse(pieces, forms) == whole)
    }
  }

  @Test("A line without an end takes bounded memory, and the line after it is read")
  func endlessLine() {
    let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 1 << 16)
    let pieces = [[UInt8]](repeating: piece, count: 200) + [Array("\n[1/2] a\n".utf8)]
    #expect(parse(pieces, .auto) == [.steps(done: 1, total: 2)])
  }

  @Test("An archive or other binary data that goes through is not taken for progress")
  func binary() {
    let chunk = Array("\u{1}\u{2}\r7%\r\u{0}\r 50% \u{3}\r".utf8)
    #expect(parse([chunk], .auto) == [])
    #expect(parse(chunk.map { [$0] }, .auto) == [])
    #expect(parse([chunk + Array("\r12%\r13%\r".utf8)], .auto) == [.percent(12), .percent(13)])
    #expect(parse([[0, 0, 10] + Array("[2/8] last\n".utf8)], .auto) == [.steps(done: 2, total: 8)])
  }

  @Test("Random bytes are survived", arguments: 0..<8)
  func randomBytes(seed: Int) {
    var random = Dice(seed: UInt64(seed))
    // Half of the runs have more of what matters to the parser.
    let alphabet = Array("\r\n%1[/]\u{1b}(x ".utf8)
    let bytes = (0..<200_000).map { _ in
      seed % 2 == 0 ? UInt8.random(in: 0...255, using: &random) : alphabet.randomElement(using: &random)!
    }
    let whole = parse([bytes], .auto)
    #expect(
      parse(stride(from: 0, to: bytes.count, by: 7).map { Array(bytes[$0..<min($0 + 7, bytes.count)]) })
        == whole)
  }
}

private func parse(_ output: String, _ forms: ProgressParser.Forms = .auto) -> [ParsedProgress] {
  parse([Array(output.utf8)], forms)
}

private func parse(_ pieces: [[UInt8]], _ forms: ProgressParser.Forms = .auto) -> [ParsedProgress] {
  var parser = ProgressParser(forms)
  var found: [ParsedProgress] = []
  for piece in pieces { feed(&parser, piece, &found) }
  parser.finish { found.append($0) }
  return found
}

private func feed(_ parser: inout ProgressParser, _ piece: [UInt8], _ found: inout [ParsedProgress]) {
  piece.withUnsafeBytes { bytes in parser.consume(bytes) { found.append($0) } }
}
