import Testing

@testable import SignalBox

@Suite struct JSONPointerTests {
  // RFC 6901, chapter 5.
  @Test(arguments: [
    ("", []), ("/foo", ["foo"]), ("/foo/0", ["foo", "0"]), ("/", [""]), ("/a~1b", ["a/b"]), ("/c%d", ["c%d"]),
    ("/m~0n", ["m~n"]), ("/ ", [" "]), ("/~01", ["~1"]), ("//", ["", ""]), ("/é/x", ["é", "x"]),
  ])
  func `a pointer is a list of names`(text: String, steps: [String]) throws {
    #expect(try JSONPointer(text).steps == steps)
  }

  @Test(arguments: [
    ("temperature", #""temperature" is no JSON pointer: it begins with a slash: "/temperature""#),
    ("/a~2", #""/a~2" is no JSON pointer: write ~0 for a tilde, and ~1 for a slash in a name"#),
    ("/a~", #""/a~" is no JSON pointer: write ~0 for a tilde, and ~1 for a slash in a name"#),
  ])
  func `what is none is refused in words`(text: String, words: String) {
    let error = #expect(throws: ReadingError.self) { try JSONPointer(text) }
    #expect(error?.description == words)
  }

  @Test(arguments: [("0", 0), ("10", 10), ("01", nil), ("-", nil), ("-1", nil), ("", nil), ("1e0", nil)])
  func `an index is a plain number`(step: String, index: Int?) {
    #expect(JSONPointer.index(step) == index)
  }
}
