import Foundation
import MQTT

/// Publishes numbers at QoS 1 and tells each one that was acknowledged, as one who may be killed at any time.
struct Burst {
  let settings: Settings

  func run() throws {
    let connection = try Connection(settings.options())
    let listener = Listener(speaks: true)
    let topic = try Topic("burst")
    let first = settings.number("from", default: 0)
    let count = settings.number("count", default: 10_000)
    for number in first..<first + count {
      connection.publish(Publish(topic, "\(number)")) { result in
        if case .acknowledged = result {
          tell("acknowledged", number)
        } else {
          tell("lost", "\(number) \(result)")
        }
      }
    }
    connection.connect(delegate: listener)
    result { done in connection.close(deadline: .seconds(60)) { done(()) } }
  }
}
