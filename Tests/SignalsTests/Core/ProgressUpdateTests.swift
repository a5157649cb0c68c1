import Signals
import Testing

@Suite struct ProgressUpdateTests {
  @Test(arguments: [Double.nan, .infinity, -.infinity, -1, -0.001])
  func `a number that is none becomes unknown`(number: Double) {
    let update = ProgressUpdate(done: number, total: number, fraction: number, rate: number, weight: number)
    #expect(update.done == nil)
    #expect(update.total == nil)
    #expect(update.fraction == nil)
    #expect(update.rate == nil)
    #expect(update.weight == nil)
    #expect(update == ProgressUpdate())
  }

  @Test func `nought of nought is unknown, and no crash`() {
    let update = ProgressUpdate(done: 0, total: 0)
    #expect(update.total == nil)
    #expect(update.fraction == nil)
    #expect(update.description == "0")
  }

  @Test func `twelve of ten is all of it`() {
    let update = ProgressUpdate(done: 12, total: 10)
    #expect(update.fraction == 1)
    #expect(update.done == 12)
  }

  @Test func `a given fraction wins over done of total`() {
    #expect(ProgressUpdate(done: 1, total: 10, fraction: 0.7).fraction == 0.7)
    #expect(ProgressUpdate(fraction: 1.7).fraction == 1)
  }

  @Test func `a literal is a fraction`() {
    let update: ProgressUpdate = 0.25
    #expect(update.fraction == 0.25)
    #expect(update.description == "25%")
  }

  @Test func `a negative time left is unknown`() {
    var update = ProgressUpdate(remaining: .seconds(-1))
    #expect(update.remaining == nil)
    update.remaining = .seconds(-5)
    #expect(update.remaining == nil)
  }

  @Test func `each whole percentage reads as itself, and only all of it as 100`() {
    for percent in 0...100 {
      #expect(ProgressUpdate(fraction: Double(percent) / 100).description == "\(percent)%")
      #expect(ProgressUpdate(done: Double(percent), total: 100).description.hasPrefix("\(percent)% "))
    }
    #expect(ProgressUpdate(fraction: 0.9999).description == "99%")
    #expect(ProgressUpdate(fraction: 1.0.nextDown).description == "99%")
  }

  @Test func `it reads well`() {
    #expect(ProgressUpdate(done: 3, total: 7, unit: "files").description == "42% 3/7 files")
    #expect(ProgressUpdate().description == "?")
    #expect(ProgressUpdate(done: 1e300).description == "1e+300")
  }
}
