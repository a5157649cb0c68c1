import Testing

@testable import SignalBox

@Suite struct LevelTreeTests {
  @Test func `levels whose hashes collide are told apart by their bytes and what stands above them`() {
    // Nodes 1 and 3 are those of `a` and `b`. The hashes are such that all edges below them are one.
    let filters: [(text: String, parent: UInt64)] = [("a/x", 1), ("b/x", 3), ("a/y", 1), ("b/y", 3)]
    var tree = LevelTree()
    func with<Result>(_ index: Int, _ body: (TopicLevels) -> Result) -> Result {
      let (text, parent) = filters[index]
      let levels = [
        TopicLevels.Level(start: 0, end: 1, hash: parent),
        TopicLevels.Level(start: 2, end: 3, hash: parent &* LevelTree.spread),
      ]
      return Array(text.utf8).withUnsafeBufferPointer { text in
        levels.withUnsafeBufferPointer { body(TopicLevels(text: text, levels: $0)) }
      }
    }
    for index in [0, 1, 2, 3] { with(index) { tree.setNumber(Int32(index), of: $0) } }
    #expect(tree.read { tree in Set([2, 4, 5, 6].map { tree.nodes[$0].hash }) }.count == 1)
    for index in [0, 1, 2, 3] {
      #expect(with(index) { levels in tree.read { $0.number(of: levels) } } == Int32(index))
    }
    with(1) { tree.remove($0) }
    #expect(with(1) { levels in tree.read { $0.number(of: levels) } } == nil)
    for index in [0, 2, 3] {
      #expect(with(index) { levels in tree.read { $0.number(of: levels) } } == Int32(index))
    }
  }
}
