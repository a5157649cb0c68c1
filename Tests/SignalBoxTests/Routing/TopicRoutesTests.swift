import Fuzzing
import MQTT
import Testing

@testable import SignalBox

@Suite struct TopicRoutesTests {
  private let universe = FilterUniverse.shared

  @Test func `a topic that came before is routed as if it were new, whatever changed meanwhile`() {
    for seed in UInt64(0)..<300 {
      var dice = Dice(seed: seed)
      var routes = TopicRoutes<Int>(maximumTopics: 5)
      var members: Set<Int> = []
      for _ in 0..<100 {
        let filter = dice.roll(universe.filters.count)
        if dice.chance(5) {
          routes[universe.filters[filter]] = filter
          members.insert(filter)
        } else if dice.chance(5), let filter = members.sorted().randomElement(using: &dice) {
          routes[universe.filters[filter]] = nil
          members.remove(filter)
        }
        let topic = dice.roll(8)
        let expected = members.filter { universe.matched[$0].contains(topic) }
        let found = routes.routes(of: universe.topics[topic])
        #expect(found.sorted() == expected.sorted(), "seed \(seed), topic \(universe.topics[topic])")
        #expect(routes.remembered <= 5)
      }
    }
  }

  @Test func `topics that strings take for equal have routes of their own`() throws {
    var routes = TopicRoutes<Int>()
    routes[try TopicFilter("é")] = 1
    routes[try TopicFilter("e\u{301}")] = 2
    for _ in 0..<2 {
      #expect(routes.routes(of: "é") == [1])
      #expect(routes.routes(of: "e\u{301}") == [2])
    }
  }

  @Test func `topics that differ in any one byte are told apart`() throws {
    var routes = TopicRoutes<Int>()
    routes[try TopicFilter("#")] = 0
    let topic = Array("0123456789abcdefghi".utf8)
    for index in topic.indices {
      var other = topic
      other[index] = UInt8(ascii: "X")
      routes[try TopicFilter(String(decoding: other, as: UTF8.self))] = index + 1
    }
    for _ in 0..<2 {
      #expect(routes.routes(of: String(decoding: topic, as: UTF8.self)) == [0])
      for index in topic.indices {
        var other = topic
        other[index] = UInt8(ascii: "X")
        #expect(routes.routes(of: String(decoding: other, as: UTF8.self)).sorted() == [0, index + 1])
      }
    }
  }

  @Test func `no more is remembered than is allowed`() throws {
    var routes = TopicRoutes<Int>(maximumWeight: 1_600)
    routes[try TopicFilter("#")] = 1
    for number in 0..<1_000 {
      _ = routes.routes(of: "t\(number)")
      #expect(routes.remembered * 11 <= 1_600)
    }
    #expect(routes.remembered > 0)
    let before = routes.remembered
    #expect(routes.routes(of: String(repeating: "x", count: 101)) == [1])
    #expect(routes.remembered == before)
    routes[try TopicFilter("a")] = 2
    #expect(routes.remembered == 0)
  }

  @Test func `an element that was taken out is let go of at once`() throws {
    final class Token: Sendable {}
    var routes = TopicRoutes<Token>()
    weak var token: Token?
    do {
      let held = Token()
      token = held
      routes[try TopicFilter("a/#")] = held
      routes[try TopicFilter("b")] = Token()
    }
    #expect(routes.routes(of: "a/b").count == 1)
    #expect(token != nil)
    routes[try TopicFilter("a/#")] = nil
    #expect(token == nil)
  }
}
