/// The messages of one row.
struct Traffic {
  enum Kind: String {
    /// The client gets them as fast as it takes them.
    case receive
    /// The client gets 2,000 a second.
    case paced
    /// The client sends them.
    case publish
  }

  static let topic = "bench/topic"
  static let payload = [UInt8](repeating: UInt8(ascii: "x"), count: 100)

  var kind: Kind
  var qos: UInt8
  var count: Int

  init(_ kind: Kind, qos: UInt8, count: Int) {
    self.kind = kind
    self.qos = qos
    self.count = count
  }

  init?(_ arguments: some Collection<String>) {
    let words = Array(arguments)
    guard words.count == 3, let kind = Kind(rawValue: words[0]), let qos = UInt8(words[1]),
      let count = Int(words[2])
    else { return nil }
    self.init(kind, qos: qos, count: count)
  }

  var arguments: [String] { [kind.rawValue, "\(qos)", "\(count)"] }
}
