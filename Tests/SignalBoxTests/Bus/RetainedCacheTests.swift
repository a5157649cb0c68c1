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

  @Test func `what a resumed session had queued and the broker then sends from its store comes once`() {
    let cache = cache()
    func came(_ text: String, _ link: UInt32, isResumed: Bool = true) -> MessageOrigin? {
      let admitted = cache.admit(message("a", text), link: link, keepsRetainFlag: true, isResumed: isResumed)
      if let admitted { cache.remember(admitted) }
      return admitted?.origin
    }
    #expect(came("1", 1, isResumed: false) == .stored)
    // It was published twice, and is in store.
    #expect(came("2", 2) == .stored && came("2", 2) == nil && came("2", 2) == .live)
    #expect(came("3", 3) == .stored && came("4", 3) == .live && came("4", 3) == nil)
    #expect(came("5", 4, isResumed: false) == .stored && came("5", 4, isResumed: false) == .live)
  }

  @Test func `what is adopted of a wider filter is not news when it is sent again`() throws {
    let (wide, narrow) = (cache(), cache())
    for message in [message("a/b", "1"), message("a/c", "1"), message("a/b", "2", retained: false)] {
      wide.admit(message, link: 3, keepsRetainFlag: false).map(wide.remember)
    }
    let filter = try TopicFilter("a/b")
    let adopted = narrow.adopt(wide, filter)
    #expect(adopted.map(\.description) == ["a/b 2"])
    for message in adopted { narrow.remember(message) }
    #expect(narrow.adopt(wide, filter).isEmpty)
    #expect(narrow.admit(message("a/b", "1"), link: 3, keepsRetainFlag: false) == nil)
    #expect(narrow.admit(message("a/b", "1"), link: 4, keepsRetainFlag: false)?.origin == .stored)
  }

  @Test func `what did not come again is no newcomer's, and if it only came late then all get it`() {
    let cache = cache()
    for text in ["a", "b", "c"] {
      cache.admit(message(text, "1"), link: 1, keepsRetainFlag: true).map(cache.remember)
    }
    #expect(cache.admit(message("a", "1"), link: 2, keepsRetainFlag: true) == nil)
    #expect(texts(cache) == ["a=1", "b=1", "c=1"])
    cache.didSubscribe(2, at: Arrival(start - .seconds(1)))
    #expect(texts(cache) == ["a=1"])
    #expect(cache.admit(message("b", "1", at: -1_000), link: 2, keepsRetainFlag: true)?.origin == .stored)
    #expect(texts(cache) == ["a=1", "b=1"])
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

extension RetainedCache {
  /// What most newcomers get.
  var values: ContiguousArray<Message> { values(for: Subject<Message>()) }
}
