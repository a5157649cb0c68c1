/// Two contestants that do the same, measured in turn, so that what else the machine does hits both.
struct Duel {
  /// Rounds, each with one measurement of either.
  var rounds: Int
  /// CPU seconds of one measurement.
  var seconds: Double

  static let thorough = Duel(rounds: 15, seconds: 0.025)
  static let quick = Duel(rounds: 5, seconds: 0.005)

  struct Result {
    /// CPU nanoseconds of an operation; medians of the rounds.
    var ours: Double
    var baseline: Double
    /// The median of the ratios of the rounds.
    var ratio: Double
  }

  /// Measures two closures that are told how often to do their work; `operations` is what one time counts for.
  func callAsFunction(
    operations: Int = 1, ours: (_ count: Int) -> Void, floor: (_ count: Int) -> Void
  ) -> Result {
    let oursCount = calibrate(ours)
    let floorCount = calibrate(floor)
    var results: [Result] = []
    for round in 0..<rounds {
      // Who comes first finds the caches as the other has left them: they take turns in that, too.
      let oursFirst = round.isMultiple(of: 2)
      var oursTime = oursFirst ? nanoseconds(oursCount, ours) : 0
      let floorTime = nanoseconds(floorCount, floor)
      if !oursFirst { oursTime = nanoseconds(oursCount, ours) }
      results.append(
        Result(
          ours: oursTime / Double(operations), baseline: floorTime / Double(operations),
          ratio: oursTime / floorTime))
    }
    return Result(
      ours: median(results.map(\.ours)), baseline: median(results.map(\.baseline)),
      ratio: median(results.map(\.ratio)))
  }

  /// How often `body` has to do its work to take the time of a measurement. Warms it up, too.
  private func calibrate(_ body: (Int) -> Void) -> Int {
    var count = 1
    while true {
      let taken = CPUClock.seconds { body(count) }
      if taken >= seconds / 2 { return max(1, Int(Double(count) * seconds / taken)) }
      count *= 2
    }
  }

  private func nanoseconds(_ count: Int, _ body: (Int) -> Void) -> Double {
    CPUClock.seconds { body(count) } / Double(count) * 1e9
  }

  private func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }
}
