import MQTT
import Testing

@testable import SignalBox

/// What a program prints to see how it does.
@Suite struct DescriptionTests {
  @Test(arguments: [
    (Duration.seconds(2), "2.0 s"), (.milliseconds(61_250), "61.3 s"), (.microseconds(8_412), "8.4 ms"),
    (.milliseconds(200), "200 ms"), (.nanoseconds(34_400), "34 µs"), (.zero, "0 µs"),
    (.seconds(-1), "-1.0 s"),
  ])
  func `times are short`(time: Duration, text: String) {
    let handler = ConnectionMetrics.StalledHandler(topic: "a", duration: time)
    #expect(handler.description == "a handler of \"a\" is at it for \(text)")
  }

  @Test func `metrics are one line, with the mean named as such`() {
    var metrics = BusMetrics()
    #expect(metrics.description.hasSuffix("outbox 0, unsent 0, SUBSCRIBE none"))
    metrics.subscribing.count = 2
    metrics.subscribing.mean = .microseconds(8_412)
    metrics.subscribing.longest = .seconds(2)
    metrics.connection.stalledHandler = .init(topic: nil, duration: .seconds(3))
    #expect(
      metrics.description.hasSuffix(
        "outbox 0, unsent 0, SUBSCRIBE mean 8.4 ms, longest 2.0 s, a handler is at it for 3.0 s"))
    metrics.connection.messagesReceived = 7
    #expect(
      metrics.connection.description
        == "connects 0, in 7 (0 bytes), out 0, dropped 0, inbox overflows 0, inbox 0, outbox 0, "
        + "a handler is at it for 3.0 s")
  }

  @Test func `counters and values are what people write`() {
    #expect(
      MailboxCounters(received: 5, delivered: 2, dropped: 1, superseded: 1, waiting: 1).description
        == "received 5, delivered 2, dropped 1, superseded 1, waiting 1")
    #expect("\(Percent(42)), \(Percent(42.5))" == "42 %, 42.5 %")
  }
}
