import Fuzzing
import Testing

@testable import SignalBox

@Suite struct PendingAnswersTests {
  @Test func `each answer finds who asked, once, and nothing else finds anybody`() {
    for seed in 0..<50 as Range<UInt64> {
      var dice = Dice(seed: seed)
      var pending = PendingAnswers<Int>()
      /// Who waits, by correlation data, and all data that were ever given out.
      var waiting: [[UInt8]: Int] = [:]
      var given: Set<[UInt8]> = []
      for step in 0..<200 {
        switch dice.roll(4) {
        case 0, 1:
          let correlation = pending.ask(step)
          #expect(given.insert(correlation).inserted, "seed \(seed): used twice")
          waiting[correlation] = step
        case 2:
          let correlation = dice.pick(Array(given) + [[]])
          #expect(pending.take(correlation) == waiting.removeValue(forKey: correlation), "seed \(seed)")
        default:
          #expect(pending.take(dice.chance(50) ? nil : dice.bytes(dice.roll(8))) == nil, "seed \(seed)")
        }
        #expect(pending.count == waiting.count, "seed \(seed)")
      }
    }
  }
}
