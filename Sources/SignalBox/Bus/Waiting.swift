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

    /// By the seats that they wait for.
    private var waiters: [UInt32: [ObjectIdentifier: [Waiter]]] = [:]
    /// Those who asked for more than others have.
    private var raisers: [UInt32: [Seat]] = [:]
    /// When what is under way was sent.
    var sent: [TopicFilter: ContinuousClock.Instant] = [:]

    /// How many wait.
    var count: Int {
      waiters.values.joined().reduce(0) { $0 + $1.value.count } + raisers.values.joined().count
    }

    mutating func wait(_ seat: Seat, _ action: @escaping Action) {
      waiters[seat.upstream.identifier, default: [:]][ObjectIdentifier(seat), default: []]
        .append(Waiter(qos: seat.qos, action: action))
    }

    mutating func raise(_ seat: Seat) {
      raisers[seat.upstream.identifier, default: []].append(seat)
    }

    /// It serves all who want up to `qos`: gives those who waited for that, and seats to let go of outside of the lock.
    mutating func granted(_ identifier: UInt32, _ qos: QoS) -> Gone {
      take(identifier) { $0 <= qos }
    }

    /// It serves nobody who wants more than `qos`: gives those who do.
    mutating func refused(_ identifier: UInt32, above qos: QoS) -> Gone {
      take(identifier) { $0 > qos }
    }

    /// Nobody is served by it any more. Gives what is to be let go of outside of the lock.
    mutating func remove(_ identifier: UInt32) -> Gone {
      take(identifier) { _ in true }
    }

    /// Nobody sits there any more: what waited would do so for as long as the broker is away.
    mutating func leave(_ seat: Seat) -> Gone {
      let identifier = seat.upstream.identifier
      let gone = waiters[identifier]?.removeValue(forKey: ObjectIdentifier(seat)) ?? []
      if waiters[identifier]?.isEmpty == true { waiters[identifier] = nil }
      let seats = raisers[identifier]?.filter { $0 === seat } ?? []
      if !seats.isEmpty { raisers[identifier]?.removeAll { $0 === seat } }
      return (gone.map(\.action), seats)
    }

    private mutating func take(_ identifier: UInt32, where isMeant: (QoS) -> Bool) -> Gone {
      let all = waiters.removeValue(forKey: identifier) ?? [:]
      let left = all.compactMapValues { waiters in
        let left = waiters.filter { !isMeant($0.qos) }
        return left.isEmpty ? nil : left
      }
      if !left.isEmpty { waiters[identifier] = left }
      let seats = raisers.removeValue(forKey: identifier) ?? []
      let others = seats.filter { !isMeant($0.qos) }
      if !others.isEmpty { raisers[identifier] = others }
      return (all.values.joined().filter { isMeant($0.qos) }.map(\.action), seats.filter { isMeant($0.qos) })
    }
  }
}
