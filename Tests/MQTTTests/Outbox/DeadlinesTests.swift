import Fuzzing
import Testing

@testable import MQTT

struct DeadlinesTests {
  @Test("Over random walks the earliest deadline comes first, whatever was removed before its time")
  func walk() {
    var random = Dice(seed: 1)
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
