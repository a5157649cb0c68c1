/// Nodes by the hash of the edge that leads to them: open addressing in one array, so that a look-up that finds
/// nothing mostly touches one cache line.
struct EdgeTable {
  struct Slot {
    var hash: UInt32
    var node: Int32

    static let empty = Slot(hash: 0, node: LevelTree.none)
  }

  /// A power of two of them, at most half of them taken.
  private(set) var slots = [Slot](repeating: .empty, count: 16)
  private var count = 0

  /// The node among `slots` with that hash that `isWanted`; different edges may have the same hash.
  static func first(
    _ hash: UInt32, in slots: UnsafeBufferPointer<Slot>, where isWanted: (Int32) -> Bool
  ) -> Int32? {
    let mask = slots.count - 1
    var index = Int(hash) & mask
    while slots[index].node != LevelTree.none {
      if slots[index].hash == hash, isWanted(slots[index].node) { return slots[index].node }
      index = (index + 1) & mask
    }
    return nil
  }

  mutating func insert(_ hash: UInt32, _ node: Int32) {
    count += 1
    if count * 2 > slots.count { grow() }
    place(Slot(hash: hash, node: node))
  }

  /// Removes a node that is in the table, and moves those up that had to go farther because of it: no slot is lost.
  mutating func remove(_ hash: UInt32, _ node: Int32) {
    count -= 1
    let mask = slots.count - 1
    var hole = Int(hash) & mask
    while slots[hole].node != node { hole = (hole + 1) & mask }
    var index = (hole + 1) & mask
    while slots[index].node != LevelTree.none {
      let home = Int(slots[index].hash) & mask
      if (index - home) & mask >= (index - hole) & mask {
        slots[hole] = slots[index]
        hole = index
      }
      index = (index + 1) & mask
    }
    slots[hole] = .empty
  }

  private mutating func grow() {
    let old = slots
    slots = [Slot](repeating: .empty, count: old.count * 2)
    for slot in old where slot.node != LevelTree.none { place(slot) }
  }

  private mutating func place(_ slot: Slot) {
    let mask = slots.count - 1
    var index = Int(slot.hash) & mask
    while slots[index].node != LevelTree.none { index = (index + 1) & mask }
    slots[index] = slot
  }
}
