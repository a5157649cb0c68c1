extension ConnectionOptions {
  /// Reads `mqtt://[user[:password]@]host[:port][,host[:port]…]`, `tcp://…`, `mqtts://…` (TLS; also `ssl://` and
  /// `tls://`), `unix:///path` or a plain `host[:port]`.
  ///
  /// Several hosts are tried in turn, see ``endpoints``; user and password stand once, in front. The port is 1883, with
  /// TLS 8883, unless given; an IPv6 address stands in brackets; user and password may be percent-encoded. TLS trusts
  /// the authorities of the system; for others set ``tls``.
  public init(url: String) throws(ConnectionError) {
    let parts = url.splitOnce(at: "://")
    let scheme = parts?.0.lowercased() ?? "mqtt"
    let rest = parts?.1 ?? url[...]
    switch scheme {
    case "unix":
      guard rest.hasPrefix("/") else { throw .invalid("a unix URL needs an absolute path: unix:///path") }
      try self.init(unixPath: Self.decoded(rest))
    case "mqtt", "tcp", "mqtts", "ssl", "tls":
      let isSecure = scheme != "mqtt" && scheme != "tcp"
      let authority = rest.prefix { $0 != "/" && $0 != "?" }
      // Else a part of the password would be taken for the host, and shown.
      if rest[authority.endIndex...].contains("@") {
        throw .invalid(
          "there is an @ behind the host of the URL: write / and ? in user or password as %2F and %3F")
      }
      let at = authority.lastIndex(of: "@")
      let server = at.map { authority[authority.index(after: $0)...] } ?? authority
      let endpoints = try server.split(separator: ",", omittingEmptySubsequences: false).map {
        (text) throws(ConnectionError) in
        let (host, port) = try Self.hostAndPort(text, default: isSecure ? 8883 : 1883)
        return Endpoint.tcp(host: host, port: port)
      }
      self.init(endpoint: endpoints[0])
      self.endpoints = endpoints
      if isSecure { tls = TLSOptions() }
      guard let at else { break }
      let login = authority[..<at].splitOnce(at: ":")
      user = try Self.decoded(login?.0 ?? authority[..<at])
      password = try login.map { (pair) throws(ConnectionError) in try Self.decoded(pair.1) }
    default:
      // What stands before "://" may be a whole URL, with a password, of which a part is missing.
      let isScheme = scheme.utf8.allSatisfy { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 }
      throw .unsupported(
        "the scheme\(isScheme ? " \"\(scheme)\"" : "") of the URL; use mqtt://, mqtts:// or unix://")
    }
  }

  private static func hostAndPort(
    _ text: Substring, default standard: Int
  ) throws(ConnectionError) -> (String, Int) {
    var host = text
    var port: Substring?
    if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
      host = withZone(text[text.index(after: text.startIndex)..<end])
      let tail = text[text.index(after: end)...]
      guard tail.isEmpty || tail.hasPrefix(":") else { throw .invalid("expected [address]:port") }
      if !tail.isEmpty { port = tail.dropFirst() }
    } else if let pair = text.splitOnce(at: ":") {
      host = pair.0
      port = pair.1
    }
    guard !host.isEmpty else { throw .invalid("the URL names no host: mqtt://host:1883") }
    guard let port else { return (String(host), standard) }
    // A number may have a sign, a port may not.
    guard let number = Int(port), port.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      (1...65_535).contains(number)
    else {
      throw .invalid("the port of the URL is not a number from 1 to 65535")
    }
    return (String(host), number)
  }

  /// An address whose zone follows a `%25`, as URLs have it, with the `%` that the system knows (RFC 6874, 2).
  private static func withZone(_ address: Substring) -> Substring {
    guard let (bare, zone) = address.splitOnce(at: "%25"), !zone.isEmpty else { return address }
    return bare + "%" + zone
  }

  private static func decoded(_ text: Substring) throws(ConnectionError) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(Self.digit), let low = rest.popFirst().flatMap(Self.digit)
      else {
        throw .invalid("the URL holds a % that is not followed by two hexadecimal digits")
      }
      bytes.append(high << 4 | low)
    }
    guard let decoded = String(validating: bytes, as: UTF8.self) else {
      throw .invalid("the URL does not decode to UTF-8")
    }
    return decoded
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    Character(Unicode.Scalar(byte)).hexDigitValue.flatMap { byte < 0x80 ? UInt8($0) : nil }
  }
}

extension StringProtocol where SubSequence == Substring {
  fileprivate func splitOnce(at separator: String) -> (Substring, Substring)? {
    guard let range = self[...].firstRange(of: separator) else { return nil }
    return (self[..<range.lowerBound], self[range.upperBound...])
  }
}
