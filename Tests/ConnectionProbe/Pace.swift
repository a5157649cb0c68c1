import Foundation
import MQTT

/// Publishes one small message after the other at a steady rate.
struct Pace {
  let settings: Settings

  func run() throws {
    let connection = try Connection(settings.options())
    let listener = Listener()
    open(connection, listener)
    let topic = try Topic("pace")
    let pause = Duration.microseconds(settings.number("pause", default: 500))
    var due = ContinuousClock.now
    for number in 0..<settings.number("count", default: 4_000) {
      connection.send(Publish(topic, "\(number)", qos: .atMostOnce))
      // Against the clock, so that late wake-ups do not slow the rate down.
      due += pause
      let left = ContinuousClock.now.duration(to: due)
      if left > .zero { usleep(UInt32(left / .microseconds(1))) }
    }
    close(connection)
    tell("paced", listener.disconnects)
  }
}
