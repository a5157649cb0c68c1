import Testing

@testable import MQTT

struct InboxGateTests {
  let start = ContinuousClock.now
  let patience = Duration.seconds(10)

  private func update(_ gate: inout InboxGate, _ hasRoom: Bool, at seconds: Int, exchange: Int = 0) {
    gate.update(
      hasRoom: hasRoom, lastExchange: start + .seconds(exchange), patience: patience,
      at: start + .seconds(seconds))
  }

  @Test("With room it reads; without, it pauses for its patience, then hurries until all is read")
  func life() {
    var gate = InboxGate()
    update(&gate, true, at: 0)
    #expect(gate.state == .open && gate.deadline == nil)
    update(&gate, false, at: 5)
    #expect(gate.state == .paused(until: start + .seconds(15)) && gate.deadline == start + .seconds(15))
    update(&gate, false, at: 14)
    #expect(gate.isPaused)
    update(&gate, false, at: 15)
    #expect(gate.isHurried && gate.deadline == nil)
    gate.looked(sawAll: false, at: start + .seconds(16))
    update(&gate, true, at: 16)
    #expect(gate.isHurried)
    gate.looked(sawAll: true, at: start + .seconds(17))
    update(&gate, true, at: 17)
    #expect(gate.state == .open)
  }

  @Test("A little room now and then does not lengthen the pause")
  func trickle() {
    var gate = InboxGate()
    for second in 0..<10 {
      update(&gate, second % 2 == 1, at: second)
      #expect(!gate.isHurried)
      if second % 2 == 1 { gate.looked(sawAll: false, at: start + .seconds(second)) }
    }
    update(&gate, true, at: 10)
    #expect(gate.isHurried)
  }

  @Test("Handlers that let the loop read slowly, with room, make it hurry as well")
  func slowReading() {
    var gate = InboxGate()
    for second in 1..<10 {
      update(&gate, true, at: second)
      gate.looked(sawAll: false, at: start + .seconds(second))
    }
    update(&gate, true, at: 10)
    #expect(gate.state == .open)
    update(&gate, true, at: 11)
    #expect(gate.isHurried)
  }

  @Test("A link that is alive in both directions needs no hurry; a ping of this side does not end one")
  func exchanges() {
    var gate = InboxGate()
    for second in 0..<100 {
      update(&gate, second % 2 == 1, at: second, exchange: second)
      gate.looked(sawAll: false, at: start + .seconds(second))
      #expect(!gate.isHurried)
    }
    update(&gate, false, at: 120, exchange: 100)
    #expect(gate.isHurried)
    update(&gate, false, at: 121, exchange: 121)
    #expect(gate.isHurried)
  }

  @Test("Without a keep-alive it pauses for as long as it takes")
  func noKeepAlive() {
    var gate = InboxGate()
    for second in [0, 1_000, 1_000_000] {
      gate.update(hasRoom: false, lastExchange: start, patience: nil, at: start + .seconds(second))
      #expect(gate.state == .paused(until: nil))
    }
    gate.update(hasRoom: true, lastExchange: start, patience: nil, at: start + .seconds(1_000_001))
    #expect(gate.state == .open)
  }
}
