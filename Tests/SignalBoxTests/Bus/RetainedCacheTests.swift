import Signals
import Testing

@testable import MQTT
@testable import SignalBox

@Suite struct RetainedCacheTests {
  private let start = ContinuousClock.now

  private func cache(count: Int = 10_000, bytes: Int = 1 << 20) -> RetainedCache {
    RetainedCache(limits: QueueSize(count: count, bytes: bytes))
  }

  private func message(_ topic: String, _ text: String, retained: Bool = true, at ms: Int = 0) -> Message {
    var message = Message(topic: topic, payload: Array(text.utf8), isRetained: retained)
    message.arrival = Arrival(start + .milliseconds(ms))
    return message
  }

  private func texts(_ cache: RetainedCache) -> [String] {
    cache.values.map { "\($0.topic)=\(String(decoding: $0.payload, as: UTF8.self))" }
  }

  @Test func `a retained message that comes after the stored ones is live, by when it came`() {
    let cache = cache()
    #expect(cache.admit(message("a", "1"), link: 1, keepsRetainFlag: true)?.origin == .stored)
    cache.didSubscribe(1, at: Arrival(start))
    for (topic, ms, origin) in [
      ("b", 200, MessageOrigin.stored), ("b", 201, .live), ("c", 440, .stored), ("d", 800, .live),
      ("e", 5_000, .live),
    ] {
      #expect(
        cache.admit(message(topic, "x", at: ms), link: 1, keepsRetainFlag: true)?.origin == origin, "\(topic)"
      )
    }
  }

  @Test func `a live message without the flag before the stored one makes that live`() {
    let cache = cache()
    #expect(cache.admit(message("a", "1", retained: false), link: 1, keepsRetainFlag: true)?.origin == .live)
    #expect(cache.admit(message("a", "0"), link: 1, keepsRetainFlag: true)?.origin == .live)
  }

  @Test func `without the flag on live messages the flag tells, and what is sent again is not news`() {
    let cache = cache()
    #expect(cache.admit(message("a", "1"), link: 1, keepsRetainFlag: false)?.origin == .stored)
    #expect(cache.admit(message("b", "1", retained: false), link: 1, keepsRetainFlag: false)?.origin == .live)
    for topic in ["a", "b"] {
      #expect(cache.admit(message(topic, "9"), link: 1, keepsRetainFlag: false) == nil)
    }
  }

  @Test(arguments: [true, false])
  func `what is replayed after a reconnect and has not changed is not news`(keepsRetainFlag: Bool) {
    let cache = cache()
    for (link, text, isNews) in [(UInt32(1), "1", true), (2, "1", false), (3, "2", true), (4, "2", false)] {
      let admitted = cache.admit(message("a", text), link: link, keepsRetainFlag: keepsRetainFlag)
      #expect((admitted != nil) == isNews, "\(link)")
      admitted.map(cache.remember)
    }
  }

  @Test func `a message that the broker does not keep is not replayed, and a cleared one is forgotten`() {
    let cache = cache()
    for message in [message("state", "on"), message("click", "single", retained: false)] {
      cache.admit(message, link: 1, keepsRetainFlag: true).map(cache.remember)
    }
    #expect(texts(cache) == ["state=on"])
    cache.remember(message("state", ""))
    #expect(cache.values.isEmpty)
  }

  @Test func `the newest of each topic is kept from the first who asks for it`() {
    let cache = cache()
    let latest = LateObserver(.latest, Subject<Message>())
    func live(_ text: String) {
      cache.admit(message("a", text, retained: false, at: 9_000), link: 1, keepsRetainFlag: true).map(
        cache.remember)
    }
    cache.admit(message("a", "kept"), link: 1, keepsRetainFlag: true).map(cache.remember)
    cache.didSubscribe(1, at: Arrival(start))
    live("1")
    live("2")
    #expect(cache.values(for: latest).map(\.payload) == [Array("kept".utf8)])
    cache.keepLatest()
    live("3")
    #expect(cache.values(for: latest).map(\.payload) == [Array("3".utf8)])
    #expect(texts(cache) == ["a=kept"])
    #expect(cache.values(for: LateObserver(.none, Subject<Message>())).isEmpty)
  }

  @Test func `its topics and bytes are bounded, and it knows when there were more`() {
    let few = cache(count: 3)
    for index in 0..<3 { few.remember(message("t/\(index)", "1")) }
    #expect(!few.isOverfull)
    few.remember(message("t/3", "1"))
    few.remember(message("t/0", "2"))
    #expect(texts(few) == ["t/0=2", "t/1=1", "t/2=1"] && few.isOverfull)
    let small = cache(bytes: 20)
    small.remember(message("a", "123456789"))
    small.remember(message("b", "123456789"))
    #expect(texts(small).count == 2 && !small.isOverfull)
    small.remember(message("b", "1234567890"))
    #expect(texts(small) == ["a=123456789"] && small.isOverfull)
  }
}
