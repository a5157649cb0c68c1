import MQTT

/// What a bus and its broker do in one row.
struct Scene {
  enum Work: String {
    /// The messages of one filter, as fast as they come, to handlers.
    case receive
    /// The same to `for await`.
    case values
    /// The same to a connection without a bus.
    case connection
    /// 2,000 a second, to a handler.
    case paced
    /// The same to `for await`.
    case pacedValues
    /// Values that are sent into a subject.
    case publish
    /// `count` observers come to the filters, and go.
    case subscribe
    /// A wider filter comes to the others, and goes.
    case cover
    /// The link breaks while the filters are wanted.
    case reconnect
    /// `count` observers come and go on a filter that others want.
    case churn
    /// What the filters occupy, and as many observers of one filter.
    case memory
  }

  /// The filter that the traffic comes by.
  static let live = "bench/#"
  /// Publishing to it starts the traffic, where there are more observers than the first.
  static let start = "start"
  /// Publishing to it makes the broker end the link.
  static let drop = "drop"

  var work: Work
  var version = ProtocolVersion.v5
  var qos: UInt8 = 0
  var count = 0
  /// The other filters that are wanted.
  var filters = 0
  var observers = 1
  /// Among how many topics the traffic goes round.
  var topics = 1
  /// Whether the client counts its allocations, which costs time.
  var countsAllocations = false

  init(_ work: Work, _ change: (inout Scene) -> Void = { _ in }) {
    self.work = work
    change(&self)
  }

  init?(_ arguments: some Collection<String>) {
    let words = Array(arguments)
    let numbers = words.dropFirst().compactMap { Int($0) }
    guard let work = words.first.flatMap({ Work(rawValue: $0) }), numbers.count == 7 else { return nil }
    self.work = work
    version = numbers[0] == 5 ? .v5 : .v311
    qos = UInt8(numbers[1])
    (count, filters, observers, topics) = (numbers[2], numbers[3], numbers[4], numbers[5])
    countsAllocations = numbers[6] != 0
  }

  var arguments: [String] {
    let version = version == .v5 ? 5 : 4
    let numbers = [version, Int(qos), count, filters, observers, topics, countsAllocations ? 1 : 0]
    return [work.rawValue] + numbers.map { "\($0)" }
  }

  /// The other filters, as a building might have them.
  func filter(_ index: Int) -> String { "site/\(index % 100)/device/\(index)/state" }
}
