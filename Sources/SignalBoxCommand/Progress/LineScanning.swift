import Foundation

let newline = UInt8(ascii: "\n")
let carriageReturn = UInt8(ascii: "\r")
let percentSign = UInt8(ascii: "%")
let openingBracket = UInt8(ascii: "[")
let closingBracket = UInt8(ascii: "]")
private let escape: UInt8 = 0x1b
private let bell: UInt8 = 0x07

extension UInt8 {
  var isDigit: Bool { self &- UInt8(ascii: "0") < 10 }
  var isLetter: Bool { (self | 0x20) &- UInt8(ascii: "a") < 26 }
  fileprivate var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }
  fileprivate var isPoint: Bool { self == UInt8(ascii: ".") || self == UInt8(ascii: ",") }
}

extension UnsafeRawBufferPointer {
  static var empty: Self { .init(start: nil, count: 0) }

  func slice(_ start: Int, _ end: Int) -> Self { .init(rebasing: self[start..<end]) }

  func firstOffset(of byte: UInt8, from start: Int = 0, to end: Int? = nil) -> Int? {
    let end = end ?? count
    guard let baseAddress, start < end, let found = memchr(baseAddress + start, Int32(byte), end - start)
    else { return nil }
    return UnsafeRawPointer(found) - baseAddress
  }

  func firstLineEnd(from start: Int) -> Int? {
    // In windows: where only one kind of line end occurs, the search for the other would always go to the end.
    for window in stride(from: start, to: count, by: 512) {
      let end = Swift.min(window + 512, count)
      let feed = firstOffset(of: newline, from: window, to: end)
      if let found = firstOffset(of: carriageReturn, from: window, to: feed ?? end) ?? feed { return found }
    }
    return nil
  }

  func lastLineEnd(in range: Range<Int>) -> Int? {
    self[range].lastIndex { $0 == newline || $0 == carriageReturn }
  }

  /// Calls `body` with the text without terminal sequences (CSI, OSC and the two-byte ones); one that is not
  /// complete is dropped up to the end.
  func withoutEscapes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
    guard var next = firstOffset(of: escape) else { return body(self) }
    var plain: [UInt8] = []
    var start = 0
    while true {
      plain += self[start..<next]
      start = endOfEscape(at: next)
      guard let following = firstOffset(of: escape, from: start) else { break }
      next = following
    }
    plain += self[start...]
    return plain.withUnsafeBytes(body)
  }

  /// The offset behind the sequence that begins at `start` (ECMA-48, 5.4 and 8.3.89).
  private func endOfEscape(at start: Int) -> Int {
    guard start + 1 < count else { return count }
    switch self[start + 1] {
    case UInt8(ascii: "["):
      let final = self[(start + 2)...].firstIndex { (0x40...0x7e).contains($0) }
      return final.map { $0 + 1 } ?? count
    case UInt8(ascii: "]"):
      guard let end = self[(start + 2)...].firstIndex(where: { $0 == bell || $0 == escape }) else {
        return count
      }
      return self[end] == bell ? end + 1 : Swift.min(end + 2, count)
    default:
      // Some have bytes between, such as the `ESC ( B` of `tput sgr0`.
      let final = self[(start + 1)...].firstIndex { !(0x20...0x2f).contains($0) }
      return final.map { $0 + 1 } ?? count
    }
  }

  /// Whether nothing here tells of binary data; asked of text without escape sequences, or of any few bytes.
  var looksLikeText: Bool {
    allSatisfy { byte in
      switch byte {
      case 0x07...0x0d, 0x0e, 0x0f, escape: true
      case 0x00...0x1f, 0x7f: false
      default: true
      }
    }
  }

  /// `[n/m]` or `[n%]` behind nothing but blanks.
  func leadingBracket() -> ParsedProgress? {
    var at = 0
    skipBlanks(&at)
    guard skip(openingBracket, &at) else { return nil }
    skipBlanks(&at)
    let start = at
    guard let done = integer(&at) else { return nil }
    let end = at
    skipBlanks(&at)
    if skip(UInt8(ascii: "/"), &at) {
      skipBlanks(&at)
      guard let total = integer(&at), total > 0, done <= total else { return nil }
      skipBlanks(&at)
      return skip(closingBracket, &at) ? .steps(done: done, total: total) : nil
    }
    at = end
    if at < count, self[at].isPoint {
      at += 1
      guard integer(&at) != nil else { return nil }
    }
    let numberEnd = at
    guard skip(percentSign, &at), skip(closingBracket, &at) else { return nil }
    return percent(of: start..<numberEnd).map(ParsedProgress.percent)
  }

  /// The first number of 0 to 100 with a percent sign that is no part of a word.
  ///
  /// - Parameter isWhole: the text ends here; otherwise nothing is said of a sign at its very end.
  func firstPercent(isWhole: Bool) -> Double? {
    var from = 0
    while let sign = firstOffset(of: percentSign, from: from) {
      from = sign + 1
      if from == count {
        if !isWhole { return nil }
      } else if isPartOfWord(self[from]) {
        continue
      }
      if let percent = percent(before: sign) { return percent }
    }
    return nil
  }

  private func percent(before sign: Int) -> Double? {
    var end = sign
    if end > 0, self[end - 1] == UInt8(ascii: " ") { end -= 1 }
    var start = startOfDigits(before: end)
    guard start < end else { return nil }
    if start > 1, self[start - 1].isPoint, self[start - 2].isDigit {
      start = startOfDigits(before: start - 1)
    }
    if start > 0 {
      let before = self[start - 1]
      let isSigned = before == UInt8(ascii: "-") || before == UInt8(ascii: "+")
      if isPartOfWord(before) || before.isPoint || isSigned { return nil }
    }
    return percent(of: start..<end)
  }

  private func startOfDigits(before end: Int) -> Int {
    var start = end
    while start > 0, self[start - 1].isDigit { start -= 1 }
    return start
  }

  private func isPartOfWord(_ byte: UInt8) -> Bool {
    byte.isDigit || byte.isLetter || byte == percentSign || byte == UInt8(ascii: "_")
  }

  private func percent(of range: Range<Int>) -> Double? {
    let digits = self[range].prefix { !$0.isPoint }
    guard (1...3).contains(digits.count) else { return nil }
    let text = String(decoding: self[range].map { $0.isPoint ? UInt8(ascii: ".") : $0 }, as: UTF8.self)
    return Double(text).flatMap { $0 <= 100 ? $0 : nil }
  }

  private func skipBlanks(_ at: inout Int) {
    while at < count, self[at].isBlank { at += 1 }
  }

  private func skip(_ byte: UInt8, _ at: inout Int) -> Bool {
    guard at < count, self[at] == byte else { return false }
    at += 1
    return true
  }

  private func integer(_ at: inout Int) -> Int? {
    let start = at
    var value = 0
    while at < count, self[at].isDigit {
      guard at - start < 18 else { return nil }
      value = value * 10 + Int(self[at] - UInt8(ascii: "0"))
      at += 1
    }
    return at > start ? value : nil
  }
}

/// Where the signs are that progress can't do without.
struct Candidates {
  private let bytes: UnsafeRawBufferPointer
  private var percent = -1
  private var bracket = -1

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// The first such sign at `start` or behind it, or the end.
  mutating func next(from start: Int) -> Int {
    if percent < start { percent = bytes.firstOffset(of: percentSign, from: start) ?? bytes.count }
    if bracket < start { bracket = bytes.firstOffset(of: openingBracket, from: start) ?? bytes.count }
    return min(percent, bracket)
  }
}
