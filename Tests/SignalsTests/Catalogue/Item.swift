import Signals

/// A value that shows whether somebody still holds it.
final class Item: Sendable, Equatable, CustomStringConvertible {
  let number: Int
  private let population: Population?

  init(_ number: Int, _ population: Population? = nil) {
    self.number = number
    self.population = population
    population?.count.withLock { $0 += 1 }
  }

  deinit { population?.count.withLock { $0 -= 1 } }

  static func == (a: Item, b: Item) -> Bool { a.number == b.number }
  var description: String { "\(number)" }
}

/// How many items there are.
final class Population: Sendable {
  let count = Lock(0)
}
