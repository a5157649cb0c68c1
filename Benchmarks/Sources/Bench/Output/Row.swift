/// One measured line.
struct Row {
  enum Goal {
    /// At most so many times the baseline.
    case ratio(Double)
    /// At most so many of the row's unit.
    case most(Double)
  }

  var name: String
  var ours: Double
  var baseline: Double
  /// `nil` where the baseline is nothing.
  var ratio: Double?
  var goal: Goal?
  var unit: String

  init(name: String, ours: Double, baseline: Double = 0, goal: Goal?, unit: String) {
    self.name = name
    self.ours = ours
    self.baseline = baseline
    ratio = baseline == 0 ? nil : ours / baseline
    self.goal = goal
    self.unit = unit
  }

  init(_ name: String, _ result: Duel.Result, _ goal: Goal?, unit: String = "ns") {
    self.name = name
    ours = result.ours
    baseline = result.baseline
    ratio = result.ratio
    self.goal = goal
    self.unit = unit
  }

  /// `nil` without a goal.
  var isMet: Bool? {
    switch goal {
    case .ratio(let limit): ratio.map { $0 <= limit }
    case .most(let limit): ours <= limit
    case nil: nil
    }
  }
}
