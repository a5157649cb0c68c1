import Brokers

extension LocalBroker {
  /// The filters that its clients have now, and their QoS, replayed from its log. A broker that starts again
  /// without a store, and a client that connects with a clean start, begin anew.
  nonisolated var held: [String: Int] {
    var held: [Substring: [String: Int]] = [:]
    var client: Substring = ""
    var isUnsubscribe = false
    for line in log {
      if line.hasPrefix("\t") {
        let words = line.dropFirst().split(separator: " (QoS ", omittingEmptySubsequences: false)
        held[client, default: [:]][String(words[0])] =
          isUnsubscribe ? nil : words.last?.first?.wholeNumberValue ?? -1
      } else if line.hasPrefix("Received SUBSCRIBE from ") || line.hasPrefix("Received UNSUBSCRIBE from ") {
        client = line.split(separator: " ")[3]
        isUnsubscribe = line.hasPrefix("Received UNSUBSCRIBE")
      } else if line.hasPrefix("New client connected"), line.contains(", c1, "),
        let name = line.split(separator: " as ").last
      {
        held[name.prefix { $0 != " " }] = nil
      } else if line.hasPrefix("mosquitto version"), line.hasSuffix("starting") {
        held = [:]
      }
    }
    return held.values.reduce(into: [:]) { all, one in all.merge(one) { max($0, $1) } }
  }
}
