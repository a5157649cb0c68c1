import Signals
import Testing

@testable import SignalsTesting

@Suite struct MarbleNotationTests {
  /// The events of a diagram, with the ticks at which they come.
  private func events(_ text: String) throws -> [String] {
    try Marble(parsing: text).timeline.moments.map { moment in
      switch moment.mark {
      case .value(let value): "\(moment.tick): \(value)"
      case .progress(let update): "\(moment.tick): (\(update))"
      case .failed: "\(moment.tick): failed"
      case .completed: "\(moment.tick): completed"
      }
    }
  }

  @Test func `every mark takes one tick, however long it is`() throws {
    #expect(
      try events("-a-(25)7'long one'b|")
        == ["1: a", "3: (25%)", "4: 7", "5: long one", "6: b", "7: completed"])
    #expect(try events("--#") == ["2: failed"])
    #expect(try events("") == [])
  }

  @Test func `a group is one tick, in its order`() throws {
    #expect(try events("-[a(50)b]c[d|]") == ["1: a", "1: (50%)", "1: b", "2: c", "3: d", "3: completed"])
  }

  @Test func `spaces pad and say nothing, but count in quotes`() throws {
    #expect(Marble(" -a  - ( 2 5 )- [ a b ]  | ") == "-a-(25)-[ab]|")
    #expect(try events("' a '") == ["0:  a "])
  }

  @Test(arguments: [
    ("(25)", ProgressUpdate(fraction: 0.25)), ("(0)", ProgressUpdate(fraction: 0)),
    ("(100)", ProgressUpdate(fraction: 1)), ("(12.5)", ProgressUpdate(fraction: 0.125)),
    ("(?)", ProgressUpdate()), ("(3/7)", ProgressUpdate(done: 3, total: 7)),
    ("(3/?)", ProgressUpdate(done: 3)), ("(?/7)", ProgressUpdate(total: 7)),
    ("(50,3/7)", ProgressUpdate(done: 3, total: 7, fraction: 0.5)),
    ("(?,@2)", ProgressUpdate(attempt: 2)), ("(25,*3)", ProgressUpdate(fraction: 0.25, weight: 3)),
    ("(25,3/7,@2,*0.001)", ProgressUpdate(done: 3, total: 7, fraction: 0.25, attempt: 2, weight: 0.001)),
    ("(9000000000000/1e+30)", ProgressUpdate(done: 9e12, total: 1e30)),
  ])
  func `progress is read and written`(text: String, update: ProgressUpdate) throws {
    guard case .progress(let read)? = try Marble(parsing: text).timeline.moments.first?.mark else {
      Issue.record("no progress")
      return
    }
    #expect(read == update)
    #expect(Marble(stringLiteral: text).text == text)
    #expect(ProgressText.write(update) == text)
  }

  @Test func `the text of a progress is rounded, and what follows from the amount is left out`() {
    #expect(ProgressText.write(ProgressUpdate(fraction: 1.0 / 3)) == "(33.33)")
    #expect(ProgressText.write(ProgressUpdate(fraction: 0.07 + 0.07)) == "(14)")
    #expect(ProgressText.write(ProgressUpdate(done: 1, total: 3, fraction: 1.0 / 3)) == "(1/3)")
    #expect(ProgressText.write(ProgressUpdate(done: 2.505, total: 10)) == "(25.05,2.51/10)")
    #expect(Marble("(25.000)") == "(25)")
    #expect(Marble("(42.86,3/7)") == "(3/7)")
  }

  @Test func `a value that is no letter or digit is quoted, and any text comes back`() throws {
    for (value, text) in [
      ("a", "a"), ("é", "é"), ("7", "7"), ("日", "日"), ("", "''"), ("ab", "'ab'"), ("-", "'-'"), (" ", "' '"),
      ("it's", #"'it\'s'"#), (#"a\b"#, #"'a\\b'"#), ("a\nb", #"'a\nb'"#), ("\u{1B}[", #"'\u{1B}['"#),
      ("\r\n", #"'\u{D}\n'"#), ("\u{301}", "'\u{301}'"), ("\u{600}", "'\u{600}'"), ("👩‍🚀", "'👩‍🚀'"),
    ] {
      #expect(QuotedText.write(value).unicodeScalars.elementsEqual(text.unicodeScalars))
      let read = try #require(try events(text).first)
      #expect(read == "0: \(value)")
    }
  }

  @Test func `the text is canonical`() {
    #expect(Marble("-'a'-[b]--").text == "-a-b")
    #expect(Marble("---").text == "-")
    #expect(Marble("-a") != "a")
    #expect(Marble("[ab]") != "[ba]")
    #expect(Marble("-a").description == "\n  -a")
  }

  @Test(arguments: [
    ("-a$", 2, #""$" means nothing"#, "Write - for a tick"),
    ("-a\n", 2, "means nothing", "Write - for a tick"),
    ("-^", 1, #""^" means nothing"#, "Write - for a tick"),
    ("a)", 1, #"")" means nothing"#, "(25) for progress"),
    ("[a-]", 2, #"a tick "-" inside [ ]"#, "close it with ]"),
    ("[a[b]]", 2, #"a group "[" inside a group"#, "side by side"),
    ("-a]", 2, #"a "]" without its "[""#, "Open the group"),
    ("-[ ]", 1, "an empty group", "is -"),
    ("-[ab", 1, #"a "[" without its "]""#, "Close the group"),
    ("-(25", 1, #"a "(" without its ")""#, "Close the progress"),
    ("-'ab", 1, "a quote without its end", "Close the value"),
    (#"'a\t'"#, 2, "a backslash that spells nothing", #"\n"#),
    (#"'\u{110000}'"#, 1, "a backslash that spells nothing", #"\u{1B}"#),
    (#"'\u41'"#, 1, "a backslash that spells nothing", #"\u{1B}"#),
    (#"'\"#, 1, "a backslash that spells nothing", #"\\"#),
    ("|a", 1, #""a" after the end"#, "end there"),
    ("#|", 1, #""|" after the end"#, "end there"),
    ("[|(5)]", 2, #""(5)" after the end"#, "end there"),
    ("-| -", 3, #"a tick "-" after the end"#, "pad with spaces"),
    ("-()", 1, #""" is no progress"#, "Write a percentage"),
    ("-(101)", 2, #""101" is no progress"#, "Write a percentage"),
    ("(-1)", 1, #""-1" is no progress"#, "Write a percentage"),
    ("(nan)", 1, #""nan" is no progress"#, "Write a percentage"),
    ("(1e999)", 1, #""1e999" is no progress"#, "Write a percentage"),
    ("(0x10)", 1, #""0x10" is no progress"#, "Write a percentage"),
    ("(25,)", 0, #""" is no progress"#, "Write a percentage"),
    ("(3/0)", 1, #""3/0" is no progress"#, "Write a percentage"),
    ("(?/?)", 1, #""?/?" is no progress"#, "Write a percentage"),
    ("(x/7)", 1, #""x/7" is no progress"#, "Write a percentage"),
    ("(1/2/3)", 1, #""1/2/3" is no progress"#, "Write a percentage"),
    ("(5,@0)", 3, #""@0" is no progress"#, "Write a percentage"),
    ("(5,*0)", 3, #""*0" is no progress"#, "Write a percentage"),
    ("(3/7,5)", 5, #""5" is out of place"#, "Write a percentage"),
    ("(?,5)", 3, #""5" is out of place"#, "Write a percentage"),
    ("(?,3/7)", 3, #""3/7" is out of place"#, "Write a percentage"),
    ("(5,5)", 3, #""5" is out of place"#, "Write a percentage"),
    ("(5,*2,@2)", 6, #""@2" is out of place"#, "Write a percentage"),
    ("-(@2)", 1, "the progress itself is missing", "Write a percentage"),
  ])
  func `a fault is named, with its place and the mend`(
    text: String, place: Int, problem: String, mend: String
  ) throws {
    let error = try #require(throws: MarbleError.self) { try Marble(parsing: text) }
    #expect(error.text == text)
    #expect(error.place == place)
    #expect(error.problem.contains(problem))
    #expect(error.mend.contains(mend))
  }

  @Test func `the description of a fault points at it`() throws {
    let error = try #require(throws: MarbleError.self) { try Marble(parsing: "-a(2x)-") }
    #expect(
      error.description.hasPrefix(
        """
        -a(2x)-
           ^ "2x" is no progress, at character 4. Write a percentage
        """))
  }

  @Test func `a line break in a diagram stays on the line of the fault`() throws {
    let error = try #require(throws: MarbleError.self) { try Marble(parsing: "-a\n-\t") }
    #expect(
      error.description.hasPrefix(
        """
        -a␊-␉
          ^ "␊" means nothing, at character 3. Write
        """))
  }

  @Test(arguments: [
    ("^---!", "^---!"), ("--^--!", "--^--!"), ("  ^ -- ! ", "^--!"), ("-^--", "-^"), ("[^!]", "[^!]"),
  ])
  func `a subscription line is read and written`(text: String, canonical: String) throws {
    #expect(try SubscriptionLine(parsing: text).text == canonical)
    #expect(SubscriptionLine(stringLiteral: text).description == canonical)
  }

  @Test(arguments: [
    ("", 0, #"a line without "^""#), ("---", 0, #"a line without "^""#), ("-!", 1, #"an end "!" without"#),
    ("^-^", 2, #"a second "^""#), ("^-!^", 3, #"a second "^""#), ("^!!", 2, #"a second "!""#),
    ("^!-", 2, #"a tick "-" after the end"#), ("^a", 1, #""a" means nothing"#), ("[^", 0, #"a "[" without"#),
  ])
  func `a fault of a subscription line is named, with its place`(
    text: String, place: Int, problem: String
  ) throws {
    let error = try #require(throws: MarbleError.self) { try SubscriptionLine(parsing: text) }
    #expect(error.place == place)
    #expect(error.problem.contains(problem))
    #expect(!error.mend.isEmpty)
  }

  @Test func `no text traps, and each fault has a place in it and a mend`() {
    let alphabet = Array("a-|#[]()'\\u{},*@?/1^! \n\u{301}".unicodeScalars)
    var texts = [""]
    for length in 1...3 {
      let longest = texts.filter { $0.unicodeScalars.count == length - 1 }
      texts += longest.flatMap { text in alphabet.map { text + String($0) } }
    }
    texts += ["(1e999)", "(@99999999999999999999)", "'\\u{FFFFFFFFFF}'", "'\\u{D800}'", "(1/1e-400)"]
    for text in texts {
      for fault in faults(of: text) {
        #expect((0...max(0, text.unicodeScalars.count - 1)).contains(fault.place), "\(text.debugDescription)")
        #expect(!fault.problem.isEmpty && !fault.mend.isEmpty)
      }
    }
  }

  private func faults(of text: String) -> [MarbleError] {
    var faults: [MarbleError] = []
    do { _ = try Marble(parsing: text) } catch { faults.append(error) }
    do { _ = try SubscriptionLine(parsing: text) } catch { faults.append(error) }
    return faults
  }

  @Test func `a literal with a fault traps and says the same`() async {
    let diagram = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = Marble("-$")
    }
    let line = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      _ = SubscriptionLine("-!")
    }
    #expect(complaint(of: diagram).contains(#""$" means nothing"#))
    #expect(complaint(of: line).contains("at character 2"))
  }
}
