import CCommand
import Foundation

/// The arguments of a command, sorted into options and operands by getopt_long(3).
struct Arguments {
  /// What is no option, in order, as it stands in argv: file names and values need not be text.
  let rawOperands: [UnsafeMutablePointer<CChar>]
  private var values: [(name: String, value: String?)] = []

  /// Reads what follows the name of a command.
  ///
  /// Options may stand behind operands; `--` ends them. Long ones may be shortened while they stay unique.
  /// The arguments of secret flags are overwritten in place.
  ///
  /// - Parameters:
  ///   - argv: C strings that stay valid; `argv[0]` is not read.
  ///   - endsAtOperand: the first operand ends the options, for the sake of a command that has its own.
  /// - Throws: `UsageError` for an unknown option and for one without its argument.
  init(
    argv: [UnsafeMutablePointer<CChar>], flags: [Flag], endsAtOperand: Bool = false
  ) throws(UsageError) {
    var letters = endsAtOperand ? "+:" : ":"
    for flag in flags {
      guard let letter = flag.letter else { continue }
      letters += flag.argument == nil ? "\(letter)" : "\(letter):"
    }
    let names = flags.map { strdup($0.name) }
    defer { for name in names { free(name) } }
    let longs = flags.indices.map { index in
      signalbox_flag(
        name: names[index], takes_argument: flags[index].argument != nil, value: Self.firstLong + Int32(index)
      )
    }

    // getopt moves these pointers, and not the caller's.
    var pointers: [UnsafeMutablePointer<CChar>?] = argv + [nil]
    signalbox_reset_options()
    while true {
      let found = signalbox_next_option(Int32(argv.count), &pointers, letters, longs, Int32(longs.count))
      switch found.value {
      case -1:
        rawOperands = pointers[Int(found.next)..<argv.count].compactMap(\.self)
        return
      case Int32(UInt8(ascii: "?")):
        let name = Self.name(of: found, in: pointers)
        let isNumber = name.dropFirst().first?.isNumber == true
        throw UsageError(
          "unknown option \(name): "
            + (isNumber ? "put -- before a value that begins with -" : "see --help"))
      case Int32(UInt8(ascii: ":")):
        throw UsageError("\(Self.name(of: found, in: pointers)) needs an argument: see --help")
      default:
        guard let flag = Self.flag(found.value, in: flags) else { continue }
        guard let argument = found.argument else {
          values.append((flag.name, nil))
          continue
        }
        defer { overwrite(flag.secret, in: argument) }
        values.append((flag.name, try text(argument, "the argument of --\(flag.name)")))
      }
    }
  }

  /// What is no option, in order.
  ///
  /// - Throws: `UsageError` when one is not text.
  var operands: [String] {
    get throws(UsageError) {
      var operands: [String] = []
      for word in rawOperands { operands.append(try text(word, "an operand")) }
      return operands
    }
  }

  /// Whether the option `name` was given.
  func has(_ name: String) -> Bool {
    values.contains { $0.name == name }
  }

  /// The argument of the option `name`, the last one if it was given more than once.
  subscript(name: String) -> String? {
    values.last { $0.name == name }?.value
  }

  /// The argument of the option `name` as a number in `range`.
  func number<Value: FixedWidthInteger>(
    _ name: String, in range: ClosedRange<Value>
  ) throws(UsageError) -> Value? {
    guard let text = self[name] else { return nil }
    guard let value = Value(text), range.contains(value) else {
      throw UsageError("--\(name) \(text): not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  /// The values of long options; below are letters.
  private static let firstLong: Int32 = 256

  private static func flag(_ value: Int32, in flags: [Flag]) -> Flag? {
    if value >= firstLong { return flags[Int(value - firstLong)] }
    let letter = UInt8(exactly: value).map { Character(Unicode.Scalar($0)) }
    return flags.first { $0.letter != nil && $0.letter == letter }
  }

  /// The option at fault, without an argument that may follow in the same word.
  private static func name(
    of option: signalbox_option, in pointers: [UnsafeMutablePointer<CChar>?]
  ) -> String {
    if let letter = UInt8(exactly: option.letter), letter > 0 {
      return "-\(Character(Unicode.Scalar(letter)))"
    }
    guard option.next > 0, let word = pointers[Int(option.next) - 1] else { return "option" }
    return String(String(cString: word).prefix { $0 != "=" })
  }
}

/// The text of a C string; repaired, a wrong one would name another topic or file.
func text(_ word: UnsafePointer<CChar>, _ what: String) throws(UsageError) -> String {
  guard let text = String(validatingCString: word) else { throw UsageError("\(what) is not UTF-8 text") }
  return text
}
