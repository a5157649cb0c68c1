import Testing

@testable import Signals

@Suite struct ShareTreeTests {
  @Test func `the total is the sum of what is in it, through every coming, change and going`() {
    var generator = SeededGenerator(seed: 1)
    var tree = ShareTree()
    var shares: [Int: ProgressShare] = [:]
    for _ in 0..<5_000 {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0, 1:
        if shares.count < 100 {
          let place = tree.insert()
          #expect(shares[place] == nil)
          #expect(place < 128, "places are used again")
          shares[place] = ProgressShare()
        }
        fallthrough
      case 2:
        guard let place = shares.keys.sorted().randomElement(using: &generator) else { continue }
        let weight = Int.random(in: 1...8, using: &generator)
        let done = Int.random(in: 0...weight, using: &generator)
        let share = ProgressShare(weight: Double(weight), done: Double(done))
        (shares[place], tree[place]) = (share, share)
      default:
        guard let place = shares.keys.sorted().randomElement(using: &generator) else { continue }
        shares[place] = nil
        tree.remove(at: place)
      }
      let total = shares.values.reduce(ProgressShare(), +)
      if tree.total != total { Issue.record("\(tree.total) instead of \(total)") }
    }
  }

  @Test func `what is done is never above the weight, whatever the rounding`() {
    var generator = SeededGenerator(seed: 2)
    var tree = ShareTree()
    let places = (0..<37).map { _ in tree.insert() }
    for _ in 0..<5_000 {
      guard let place = places.randomElement(using: &generator) else { return }
      let weight = Double.random(in: 1e-9...1e9, using: &generator)
      let isDone = Bool.random(using: &generator)
      tree[place] = ProgressShare(weight: weight, done: isDone ? weight : weight * 0.999_999_999_999_999_9)
      if tree.total.done > tree.total.weight { Issue.record("\(tree.total)") }
    }
  }
}
