import MQTT
import Signals
import Synchronization

/// A signal of values, as it was asked for: the one way from messages to values, whatever they are decoded by.
struct ReadRequest {
  private let filter: String
  private let qos: QoS
  private let late: LatePolicy
  private let progress: ProgressInclusion
  private let onBadPayload: BadPayloadPolicy

  init(
    _ filter: String, qos: QoS, late: LatePolicy = .retained, progress: ProgressInclusion = .excluded,
    onBadPayload: BadPayloadPolicy = .report
  ) {
    self.filter = filter
    self.qos = qos
    self.late = late
    self.progress = progress
    self.onBadPayload = onBadPayload
  }

  /// The values of `bus`; what making the decoder throws fails the signal.
  func values<Value>(of bus: Bus, _ decoder: @autoclosure () throws -> MessageDecoder<Value>) -> Signal<Value>
  {
    signal(bus) { _ in try decoder() }
  }

  func readings<Value>(
    of bus: Bus, _ decoder: @autoclosure () throws -> MessageDecoder<Value>
  ) -> Signal<Reading<Value>> {
    signal(bus) { filter in
      let decode = try decoder()
      return { message in try decode(message).map { Reading($0, message, filter) } }
    }
  }

  private func signal<Value>(
    _ bus: Bus, _ decoder: (TopicFilter) throws -> MessageDecoder<Value>
  ) -> Signal<Value> {
    do {
      let filter = try TopicFilter(filter)
      let decode = try decoder(filter)
      let spellsReserved = JobTopic.isReserved(filter.name)
      let values = bus.core.decoding(messages(bus, filter), onBadPayload: onBadPayload) { message -> Value? in
        guard !message.payload.isEmpty, spellsReserved || !JobTopic.isReserved(message.topic) else {
          return nil
        }
        return try decode(message)
      }
      switch progress {
      case .excluded: return values
      case .included: return ProgressMerge.signal(values, try updates(bus, filter))
      }
    } catch {
      return .failed(error)
    }
  }

  private func messages(_ bus: Bus, _ filter: TopicFilter) -> Signal<Message> {
    bus.signal(filter, qos: qos, late: late)
  }

  private func updates(_ bus: Bus, _ filter: TopicFilter) throws -> Signal<ProgressUpdate> {
    guard filter.pattern.utf8.last != UInt8(ascii: "#") else {
      throw ReadingError.progressOfAllLevels(filter.name)
    }
    let progress = try TopicFilter("\(filter.name)/\(JobTopic.Level.progress.rawValue)")
    return bus.core.decoding(messages(bus, progress)) { message in
      try ProgressMessage(payload: message.payload)?.update
    }
  }
}

extension BusCore {
  /// What `decode` makes of the messages; where it is `nil`, nothing, and what it throws is a problem.
  func decoding<Value: Sendable>(
    _ messages: Signal<Message>, onBadPayload: BadPayloadPolicy = .report,
    _ decode: @escaping MessageDecoder<Value>
  ) -> Signal<Value> {
    switch onBadPayload {
    case .report:
      messages.compactMap { [self] message in
        do {
          return try decode(message)
        } catch {
          counters.undecodable.add(1, ordering: .relaxed)
          problems.send(Problem(message, error))
          return nil
        }
      }
    case .fail:
      messages.tryMap { message in
        do { return try decode(message) } catch { throw Problem(message, error) }
      }.compactMap { $0 }
    }
  }
}

extension Problem {
  fileprivate init(_ message: Message, _ error: any Error) {
    self.init(message.topic, PayloadCoding.reason(error, message.payload), message.payload)
  }
}
