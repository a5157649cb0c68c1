import MQTT

extension BusCore {
  /// Who waits for the broker's answer, by the identifier of the upstream.
  struct Waiting {
    typealias Action = @Sendable () -> Void
    /// Who waited.
    typealias Gone = (actions: [Action], seats: [Seat])

    private struct Waiter {
      let qos: QoS
      let action: Action
    }

    private var waiters: [UInt32: [Waiter]] = [:]
    /// Those who asked for more than others have.
    private var raisers: [UInt32: [Seat]] = [:]
    /// When what is under way was sent.
    var sent: [TopicFilter: ContinuousClock.Instant] = [:]

    mutating func wait(_ identifier: UInt32, _ qos: QoS, _ action: @escaping Action) {
      waiters[identifier, default: []].append(Waiter(qos: qos, action: action))
    }

    mutating func raise(_ seat: Seat) {
      raisers[seat.upstream.identifier, default: []].append(seat)
    }

    /// It serves all who want up to `qos`: gives those who waited for that, and seats to let go of outside of the lock.
    mutating func granted(_ identifier: UInt32, _ qos: QoS) -> Gone {
      // Most are served by the first answer.
      let all = waiters.removeValue(forKey: identifier) ?? []
      let left = all.filter { $0.qos > qos }
      if !left.isEmpty { waiters[identifier] = left }
      let seats = raisers.removeValue(forKey: identifier) ?? []
      let waiting = seats.filter { $0.qos > qos }
      if !waiting.isEmpty { raisers[identifier] = waiting }
      return (all.filter { $0.qos <= qos }.map(\.action), seats)
    }

    /// It serves nobody who wants more than `qos`: gives those who do.
    mutating func refused(_ identifier: UInt32, above qos: QoS) -> Gone {
      let all = waiters.removeValue(forKey: identifier) ?? []
      let left = all.filter { $0.qos <= qos }
      if !left.isEmpty { waiters[identifier] = left }
      return (all.filter { $0.qos > qos }.map(\.action), raisers.removeValue(forKey: identifier) ?? [])
    }

    /// Nobody is served by it any more. Gives what is to be let go of outside of the lock.
    mutating func remove(_ identifier: UInt32) -> Gone {
      let actions = (waiters.removeValue(forKey: identifier) ?? []).map(\.action)
      return (actions, raisers.removeValue(forKey: identifier) ?? [])
    }
  }
}
