import MQTT
import Signals

extension BusCore {
  /// Who waits for the broker's answer, by the identifier of the upstream.
  struct Requests {
    struct Waiter: Sendable {
      let qos: QoS
      let action: @Sendable (Result<Void, any Error>) -> Void
    }

    private var waiters: [UInt32: [Waiter]] = [:]
    /// Those who asked for more than others have.
    private var raisers: [UInt32: [Seat]] = [:]
    /// When what is under way was sent.
    var sent: [TopicFilter: ContinuousClock.Instant] = [:]

    mutating func wait(
      _ identifier: UInt32, _ qos: QoS, _ action: @escaping @Sendable (Result<Void, any Error>) -> Void
    ) {
      waiters[identifier, default: []].append(Waiter(qos: qos, action: action))
    }

    mutating func raise(_ seat: Seat) {
      raisers[seat.upstream.identifier, default: []].append(seat)
    }

    /// It serves all who want up to `qos`: gives those who waited for that.
    mutating func granted(_ identifier: UInt32, _ qos: QoS) -> (waiters: [Waiter], raisers: [Seat]) {
      let served = (waiters[identifier] ?? []).filter { $0.qos <= qos }
      if !served.isEmpty {
        let left = (waiters[identifier] ?? []).filter { $0.qos > qos }
        waiters[identifier] = left.isEmpty ? nil : left
      }
      let raised = (raisers[identifier] ?? []).filter { $0.qos <= qos }
      if !raised.isEmpty {
        let left = (raisers[identifier] ?? []).filter { $0.qos > qos }
        raisers[identifier] = left.isEmpty ? nil : left
      }
      return (served, raised)
    }

    /// It serves nobody who wants more than `qos`: gives those who do.
    mutating func refused(_ identifier: UInt32, above qos: QoS) -> (waiters: [Waiter], raisers: [Seat]) {
      let waiters = self.waiters[identifier] ?? []
      let left = waiters.filter { $0.qos <= qos }
      self.waiters[identifier] = left.isEmpty ? nil : left
      let seats = raisers.removeValue(forKey: identifier) ?? []
      return (waiters.filter { $0.qos > qos }, seats)
    }

    mutating func remove(_ identifier: UInt32) -> [Waiter] {
      // A seat that others hold too.
      raisers[identifier] = nil
      return waiters.removeValue(forKey: identifier) ?? []
    }

    mutating func removeAll() -> [Waiter] {
      defer { self = Requests() }
      return waiters.values.flatMap { $0 }
    }
  }
}
