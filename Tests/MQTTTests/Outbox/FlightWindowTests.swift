import Testing

@testable import MQTT

struct FlightWindowTests {
  private func entry(_ token: Int, _ qos: QoS = .atLeastOnce) throws -> Outbox<Int>.Entry {
    .init(publish: Publish(try Topic("t"), [], qos: qos), token: token)
  }

  @Test("No more messages fly than the window allows; QoS 0 takes no room")
  func room() throws {
    var window = FlightWindow<Int>()
    #expect(window.room == 0, "nothing flies before there is a connection")
    window.open(limit: 2)
    window.add(try entry(0), id: 1)
    window.add(try entry(1, .atMostOnce), id: 2)
    #expect(window.room == 1)
    window.add(try entry(2), id: 3)
    #expect(window.room == 0)
    #expect(window.settle(id: 1)?.token == 0)
    #expect(window.room == 1)
    #expect(window.settle(id: 1) == nil)
  }

  @Test("Acknowledgements out of turn settle the right messages")
  func outOfTurn() throws {
    var window = FlightWindow<Int>()
    window.open(limit: 10)
    for token in 0..<5 { window.add(try entry(token), id: Int32(token + 1)) }
    #expect([3, 1, 5].compactMap { window.settle(id: $0)?.token } == [2, 0, 4])
    #expect(window.drain().again.map(\.token) == [1, 3])
    #expect(window.isEmpty && window.room == 0)
  }

  @Test("QoS 0 that was not written is lost with the link, and said to be")
  func lost() throws {
    var window = FlightWindow<Int>()
    window.open(limit: 10)
    window.add(try entry(0, .atMostOnce), id: 1)
    window.add(try entry(1), id: 2)
    let (again, lost) = window.drain()
    #expect(again.map(\.token) == [1])
    #expect(lost.map(\.token) == [0])
  }

  @Test("An id that still flies is not given out a second time")
  func lap() throws {
    var window = FlightWindow<Int>()
    window.open(limit: 10)
    window.add(try entry(-1), id: 1)
    for id in Int32(2)...32_768 {
      if id.isMultiple(of: 2) {
        window.add(try entry(0, .atMostOnce), id: id)
        _ = window.settle(id: id)
      } else {
        window.skip(id: id)
      }
      #expect(!window.isLapped)
    }
    window.skip(id: 32_769)
    #expect(window.isLapped && window.room == 0)
    #expect(window.settle(id: 1)?.token == -1)
    #expect(!window.isLapped && window.room == 10)
  }

  @Test("The distance between ids is right where the counter begins again")
  func wrap() throws {
    var window = FlightWindow<Int>()
    window.open(limit: 10)
    window.add(try entry(0), id: 65_535)
    window.skip(id: 1)
    window.skip(id: 32_767)
    #expect(!window.isLapped)
    window.skip(id: 32_768)
    #expect(window.isLapped)
  }
}
