/// Where the handlers of one contestant add up what they get, beside what they have to get.
final class Sink: @unchecked Sendable {
  // Sound: the handlers of one contestant run one at a time, and it is read when nobody sends. Not checked for
  // exclusive access: that would measure the benchmark.
  @exclusivity(unchecked) private var sum = 0
  @exclusivity(unchecked) private var expected = 0

  func add(_ value: Int) { sum &+= value }

  /// Sends 0 ..< `count` by `send`; each has to reach so many observers.
  @inline(__always)
  func send(_ count: Int, to observers: Int = 1, by send: (Int) -> Void) {
    for value in 0..<count { send(value) }
    expect(count, to: observers)
  }

  /// Notes that somebody sends 0 ..< `count`, and that each has to reach so many observers.
  func expect(_ count: Int, to observers: Int = 1) {
    expected &+= observers &* (count &* (count &- 1) / 2)
  }

  /// Throws when something was lost, or arrived twice.
  func check(_ name: String) throws {
    guard sum == expected else { throw WrongSum(name: name, sum: sum, expected: expected) }
  }
}

struct WrongSum: Error, CustomStringConvertible {
  var name: String
  var sum: Int
  var expected: Int

  var description: String {
    "'\(name)' delivered values with the sum \(sum) where \(expected) were sent"
  }
}
