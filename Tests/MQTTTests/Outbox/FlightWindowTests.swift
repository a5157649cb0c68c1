import Testing

@testable import MQTT

struct FlightWindowTests {
  private func entry(_ token: Int, _ qos: QoS = .atLeastOnce) throws -> Outbox<Int>.Entry {
    .init(publish: Publish(try Topic("t"), [], qos: qos), token: token)
  }

  @Test("No more messages fly than the window allows; QoS 0 takes no room")
  func room() throws {
    var window = FlightWindow<Int>()
    #expect(window.room.messages == 0, "nothing flies before there is a connection")
    window.open(limit: 2)
    window.add(try entry(0), id: 1)
    window.add(try entry(1, .atMostOnce), id: 2)
    #expect(window.room.messages == 1)
    window.add(try entry(2), id: 3)
    #expect(window.room.messages == 0)
    #expect(window.settle(id: 1)?.token == 0)
    #expect(window.room.messages == 1)
    #expect(window.settle(id: 1) == nil)
  }

  @Test("Acknowledgements out of turn settle the right messages")
  func outOfTurn() throws {
    var window = FlightWindow<Int>()
    window.open(limit: 10)
    for token in 0..<5 { window.add(try entry(token), id: Int32(token + 1)) }
    #expect([3, 1, 5].compactMap { window.settle(id: $0)?.token } == [2, 0, 4])
    #expect(window.drain().again.map(\.token) == [1, 3])
    #expect(window.isEmpty && window.room.messages == 0)
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
    #expect(window.isLapped && window.room.messages == 0)
    #expect(window.settle(id: 1)?.token == -1)
    #expect(!window.isLapped && window.room.messages == 10)
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

  @Test("With QoS 2 in flight and a session that goes on, everything keeps its id and its place over the cut")
  func resumes() throws {
    var window = FlightWindow<Int>()
    window.open(limit: 10)
    window.add(try entry(0), id: 65_534)
    window.add(try entry(1, .atMostOnce), id: 65_535)
    window.add(try entry(2, .exactlyOnce), id: 1)
    window.skip(id: 2)
    window.add(try entry(3), id: 3)
    window.skip(id: 4)
    let (again, lost) = window.cut(resumes: true)
    #expect(again.isEmpty && lost.map(\.token) == [1])
    #expect(window.room.messages == 0 && !window.isEmpty)
    // An attempt that comes to nothing changes nothing.
    #expect(window.cut(resumes: true).again.isEmpty)
    let resumption = try #require(window.resumption(at: .now))
    #expect(resumption.publishes.map(\.id) == [65_534, 1, 3])
    #expect(resumption.publishes.map(\.publish.qos) == [.atLeastOnce, .exactlyOnce, .atLeastOnce])
    #expect(resumption.newest == 4)
    window.open(limit: 4)
    #expect(window.room.messages == 1)
    #expect(window.settle(id: 1)?.token == 2)
    #expect(window.drain().again.map(\.token) == [0, 3])
    #expect(window.resumption(at: .now) == nil)
  }

  @Test("Without QoS 2, or without a session, what was cut off goes back to the outbox")
  func cutWithoutResuming() throws {
    for (qos, resumes) in [(QoS.exactlyOnce, false), (.atLeastOnce, true)] {
      var window = FlightWindow<Int>()
      window.open(limit: 10)
      window.add(try entry(0, qos), id: 1)
      #expect(window.cut(resumes: resumes).again.map(\.token) == [0])
      #expect(window.isEmpty && window.resumption(at: .now) == nil)
    }
  }

  @Test("What is sent again tells what is left of its time, and what the next broker won't have is taken out")
  func resumptionDetails() throws {
    let start = ContinuousClock.now
    var window = FlightWindow<Int>()
    window.open(limit: 10)
    for (token, expiry) in [Duration.seconds(10), .seconds(1)].enumerated() {
      let publish = Publish(try Topic("t"), "", qos: .exactlyOnce, properties: .init(expiry: expiry))
      let flying = Outbox<Int>.Entry(publish: publish, token: token, deadline: start + expiry)
      window.add(flying, id: Int32(token + 1))
    }
    _ = window.cut(resumes: true)
    let resumption = try #require(window.resumption(at: start + .seconds(4)))
    // The second has expired, but its id has to be settled all the same.
    #expect(resumption.publishes.map { $0.publish.properties.expiry?.wholeSeconds } == [6, 1])
    #expect(window.remove { $0.properties.expiry == .seconds(1) }.map(\.token) == [1])
    #expect(window.resumption(at: start)?.publishes.map(\.id) == [1])
  }

  @Test("QoS 2 has a limit of its own inside the window")
  func exactlyOnce() throws {
    var window = FlightWindow<Int>()
    window.open(limit: 10, exactlyOnce: 2)
    window.add(try entry(0, .exactlyOnce), id: 1)
    window.add(try entry(1), id: 2)
    #expect(window.room == FlightRoom(messages: 8, exactlyOnce: 1))
    window.add(try entry(2, .exactlyOnce), id: 3)
    #expect(window.room == FlightRoom(messages: 7, exactlyOnce: 0))
    _ = window.settle(id: 1)
    #expect(window.room.exactlyOnce == 1)
    #expect(window.remove { $0.qos == .exactlyOnce }.map(\.token) == [2])
    #expect(window.room == FlightRoom(messages: 9, exactlyOnce: 2))
  }
}
