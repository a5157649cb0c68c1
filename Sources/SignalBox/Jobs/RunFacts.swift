import Foundation

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What a run says of itself: when, where, and as which.
enum RunFacts {
  /// Unique, and sorts by time: milliseconds in base 36, then chance.
  static func newID() -> String {
    let time = String(Int(Date().timeIntervalSince1970 * 1000), radix: 36)
    return "\(time)-\(String(UInt32.random(in: 0x1000_0000...(.max)), radix: 16))"
  }

  static var time: Double { (Date().timeIntervalSince1970 * 1000).rounded() / 1000 }

  static let host: String? = {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }()
}
