import MQTT
import Signals

/// Answers one question after the other, or several at a time.
struct Responder: Sendable {
  private let core: BusCore
  private let spellsReserved: Bool
  private let answer: @Sendable (Message) async throws -> [UInt8]

  init(
    _ core: BusCore, spellsReserved: Bool, _ answer: @escaping @Sendable (Message) async throws -> [UInt8]
  ) {
    self.core = core
    self.spellsReserved = spellsReserved
    self.answer = answer
  }

  func respond(to question: Message) async {
    guard spellsReserved || !JobTopic.isReserved(question.topic),
      !question.topic.hasPrefix(Requests.topicPrefix)
    else { return }
    guard let topic = question.properties.responseTopic else {
      return report(question, "a question without a response topic: ask with MQTT 5")
    }
    do {
      let payload = try await answer(question)
      // The asker does not wait longer than its question was good for.
      let expiry = question.properties.expiry.flatMap { $0 > .zero ? $0 : nil }
      let properties = MessageProperties(
        expiry: expiry, correlationData: question.properties.correlationData)
      core.publish(Publish(topic, payload, properties: properties))
    } catch is CancellationError where Task.isCancelled {
    } catch {
      report(question, "not answered: \(error)")
    }
  }

  private func report(_ question: Message, _ reason: String) {
    core.problems.send(Problem(question.topic, reason, question.payload))
  }
}
