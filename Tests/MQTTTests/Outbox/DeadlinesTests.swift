import Testing

@testable import MQTT

struct DeadlinesTests {
  @Test("Over random walks the earliest deadline comes first, whatever was removed before its time")
  func walk() {
    var random = SeededGenerator(seed: 1)
    let start = ContinuousClock.now
    for _ in 0..<200 {
      var deadlines = Deadlines()
      var model: [Int: ContinuousClock.Instant] = [:]
      for _ in 0..<200 {
        let slot = Int.random(in: 0..<40, using: &random)
        if model.removeValue(forKey: slot) != nil {
          deadlines.remove(slot)
        } else {
          let deadline = start + .seconds(Int.random(in: 0..<20, using: &random))
          model[slot] = deadline
          deadlines.insert(slot, deadline)
        }
        #expect(deadlines.count == model.count)
        #expect(deadlines.first?.deadline == model.values.min())
        if let slot = deadlines.first?.slot { #expect(model[slot] == deadlines.first?.deadline) }
      }
      var last = start
      while let (deadline, slot) = deadlines.first {
        #expect(deadline >= last && model.removeValue(forKey: slot) == deadline)
        last = deadline
        deadlines.remove(slot)
      }
      #expect(model.isEmpty && deadlines.isEmpty)
    }
  }
}

/// The same numbers at each run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
