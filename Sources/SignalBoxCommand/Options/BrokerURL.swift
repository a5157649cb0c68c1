import Foundation

/// `mqtt(s)://[user[:password]@]host[:port][/topic]`, as mosquitto_sub's `-L` has it.
///
/// User and password may be percent-encoded, the topic may not: `%` and `#` are its own.
struct BrokerURL: Equatable {
  var usesTLS = false
  var user: String?
  var password: String?
  var host = ""
  var port: UInt16?
  var topic: String?

  /// - Throws: `UsageError`, which never shows a password.
  init(_ text: String) throws(UsageError) {
    let rest: Substring
    if text.hasPrefix("mqtt://") {
      rest = text.dropFirst("mqtt://".count)
    } else if text.hasPrefix("mqtts://") {
      rest = text.dropFirst("mqtts://".count)
      usesTLS = true
    } else {
      throw UsageError("a broker's url starts with mqtt:// or mqtts://")
    }
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let authority = rest[..<slash]
    let path = rest[slash...].dropFirst()
    topic = path.isEmpty ? nil : String(path)

    var place = authority
    if let at = authority.lastIndex(of: "@") {
      place = authority[authority.index(after: at)...]
      let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      user = Self.decoded(parts[0])
      password = parts.count > 1 ? Self.decoded(parts[1]) : nil
    }
    if place.hasPrefix("["), let end = place.firstIndex(of: "]") {
      host = String(place[place.index(after: place.startIndex)..<end])
      place = place[place.index(after: end)...]
    } else {
      host = String(place.prefix { $0 != ":" })
      place = place.dropFirst(host.count)
    }
    if !place.isEmpty {
      guard place.hasPrefix(":"), let port = UInt16(place.dropFirst()), port > 0 else {
        throw UsageError("the port in the broker's url is not a number from 1 to 65535")
      }
      self.port = port
    }
    guard !host.isEmpty else { throw UsageError("the broker's url names no host") }
  }

  private static func decoded(_ text: Substring) -> String {
    String(text).removingPercentEncoding ?? String(text)
  }
}
