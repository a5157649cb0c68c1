import Testing

@testable import Signals

@Suite struct ReadyQuestionsTests {
  @Test func `one question at a time is on its way, and who comes meanwhile belongs to the next`() {
    var questions = ReadyQuestions()
    let (first, second, third) = (Outcome<Void>(), Outcome<Void>(), Outcome<Void>())
    var asks: [Bool] = []
    var told: [[ObjectIdentifier]] = []
    func ask() { asks.append(questions.ask()) }
    func answer() { told.append(questions.answered().map(ObjectIdentifier.init)) }
    ask()
    questions.join(first)
    ask()
    questions.join(second)
    questions.join(third)
    questions.leave(third)
    ask()
    answer()
    ask()
    questions.leave(second)
    answer()
    ask()
    #expect(asks == [false, true, false, true, false])
    #expect(told == [[ObjectIdentifier(first)], []])
    questions.join(third)
    let left = questions.end().tasks.map(ObjectIdentifier.init)
    ask()
    #expect(left == [ObjectIdentifier(third)])
    #expect(asks.last == false)
  }
}
