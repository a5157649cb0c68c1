import Fuzzing
import Testing

@testable import SignalBox

@Suite struct EdgeTableTests {
  @Test(arguments: [1, 3, 40, Int(UInt32.max)])
  func `a table that fills and empties holds what was put in, however many hashes collide`(hashes: Int) {
    for seed in UInt64(0)..<20 {
      var dice = Dice(seed: seed)
      var table = EdgeTable()
      var members: [Int32: UInt32] = [:]
      for node in Int32(0)..<300 {
        if dice.chance(60) {
          let hash = UInt32(dice.roll(hashes))
          table.insert(hash, node)
          members[node] = hash
        } else if let (node, hash) = members.randomElement(using: &dice) {
          table.remove(hash, node)
          members[node] = nil
        }
      }
      let taken = table.slots.filter { $0.node != LevelTree.none }
      #expect(taken.count == members.count, "seed \(seed)")
      #expect(table.slots.count >= 2 * members.count, "seed \(seed)")
      table.slots.withUnsafeBufferPointer { slots in
        for (node, hash) in members {
          #expect(EdgeTable.first(hash, in: slots) { $0 == node } == node, "seed \(seed)")
        }
        #expect(EdgeTable.first(0, in: slots) { _ in false } == nil, "seed \(seed)")
      }
    }
  }
}
