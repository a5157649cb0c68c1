import MQTT
import SignalsTesting
import Testing

@testable import SignalBox

@Suite struct RetainedCacheTests {
  private func message(_ topic: String, _ text: String, retained: Bool = true) -> Message {
    Message(topic: topic, payload: Array(text.utf8), isRetained: retained)
  }

  @Test func `a retained message that comes after the stored ones is live`() {
    let time = VirtualScheduler()
    let cache = RetainedCache(time)
    cache.willSubscribe(keepsRetainFlag: true)
    #expect(cache.admit(message("a", "1"))?.origin == .stored)
    cache.didSubscribe()
    time.advance(by: .milliseconds(200))
    #expect(cache.admit(message("b", "1"))?.origin == .stored)
    #expect(cache.admit(message("b", "2"))?.origin == .live)
    time.advance(by: .milliseconds(300))
    #expect(cache.admit(message("c", "1"))?.origin == .live)
  }

  @Test func `when a message came counts, not when it is seen`() {
    let time = VirtualScheduler()
    let cache = RetainedCache(time)
    cache.willSubscribe(keepsRetainFlag: true)
    cache.didSubscribe()
    time.advance(by: .seconds(60))
    for (topic, age, origin) in [("a", 60, MessageOrigin.stored), ("b", 60, .stored), ("c", 50, .live)] {
      var message = message(topic, "1")
      message.arrival = Arrival(.now - .seconds(age))
      #expect(cache.admit(message)?.origin == origin)
    }
  }

  @Test func `without the flag on live messages the flag tells`() {
    let cache = RetainedCache(VirtualScheduler())
    cache.willSubscribe(keepsRetainFlag: false)
    #expect(cache.admit(message("a", "1"))?.origin == .stored)
    #expect(cache.admit(message("b", "1", retained: false))?.origin == .live)
  }

  @Test func `what is replayed after a reconnect and has not changed is not news`() {
    let cache = RetainedCache(VirtualScheduler())
    cache.willSubscribe(keepsRetainFlag: true)
    for text in ["1", "2"] { cache.admit(message("a", text)).map(cache.remember) }
    cache.willSubscribe(keepsRetainFlag: true)
    #expect(cache.admit(message("a", "2")) == nil)
    cache.willSubscribe(keepsRetainFlag: true)
    #expect(cache.admit(message("a", "3")) != nil)
  }

  @Test func `a message that the broker does not keep is not replayed, and a cleared one is forgotten`() {
    let cache = RetainedCache(VirtualScheduler())
    cache.willSubscribe(keepsRetainFlag: true)
    cache.remember(message("state", "on"))
    cache.remember(message("click", "single", retained: false))
    #expect(cache.values.map(\.topic) == ["state"])
    cache.remember(message("state", ""))
    #expect(cache.values.isEmpty)
  }

  @Test func `what still comes of an earlier subscription is not taken for stored messages of this one`() {
    let cache = RetainedCache(VirtualScheduler())
    #expect(cache.admit(message("a", "1")) == nil)
    cache.willSubscribe(keepsRetainFlag: true)
    #expect(cache.admit(message("a", "1"))?.origin == .stored)
  }

  @Test func `its memory is bounded`() {
    let cache = RetainedCache(bound: 3, VirtualScheduler())
    cache.willSubscribe(keepsRetainFlag: false)
    for index in 0..<100 { cache.remember(message("t/\(index)", "1")) }
    #expect(cache.values.count == 3)
    cache.remember(message("t/0", "2"))
    #expect(cache.values.first?.payload == Array("2".utf8))
  }
}
