import Fuzzing
import Signals
import Testing

@testable import SignalBox

@Suite struct MailboxQueueTests {
  @Test(arguments: [
    Mailbox.Policy.wait, .dropOldest, .dropNewest, .latestPerTopic,
  ])
  func `random walks do what the plain rules say`(policy: Mailbox.Policy) {
    let seed = UInt64.random(in: 0...UInt64.max)
    var dice = Dice(seed: seed)
    for _ in 0..<400 {
      let capacity = 1 + dice.roll(9)
      var queue = MailboxQueue<Int>(policy, capacity: capacity)
      var model = NaiveMailbox(policy: policy, capacity: capacity)
      let topics = (0...dice.roll(12)).map { "t/\($0)" }
      let sends = 30 + dice.roll(60)
      for step in 0..<120 {
        if dice.chance(sends) {
          if dice.chance(25) {
            queue.append(progress: ProgressUpdate(done: Double(step)))
            model.append(progress: step)
          } else {
            let topic = dice.pick(topics)
            let outcome = queue.append(step, topic: policy == .latestPerTopic ? TopicKey(topic) : nil)
            #expect(text(outcome) == model.append(step, topic: topic), "seed \(seed)")
          }
        } else {
          #expect(text(queue.take()) == text(model.take()), "seed \(seed)")
        }
        #expect(queue.count == model.count && queue.isEmpty == model.entries.isEmpty, "seed \(seed)")
      }
      queue.append(end: .completed)
      while let entry = model.take() { #expect(text(queue.take()) == text(entry), "seed \(seed)") }
      #expect(text(queue.take()) == "completed" && queue.take() == nil, "seed \(seed)")
    }
  }

  @Test func `who can't wait goes beyond the capacity`() {
    var queue = MailboxQueue<Int>(.wait, capacity: 2)
    for number in 0..<7 { _ = queue.append(number, isUrgent: true) }
    #expect(text(queue.append(7)) == "full")
    #expect((0..<7).map { _ in text(queue.take()) } == (0..<7).map { "value \($0)" })
  }

  @Test func `topics are told apart by their bytes`() {
    var queue = MailboxQueue<Int>(.latestPerTopic, capacity: 9)
    #expect(text(queue.append(1, topic: TopicKey("caf\u{e9}"))) == "taken")
    #expect(text(queue.append(2, topic: TopicKey("cafe\u{301}"))) == "taken")
    #expect(text(queue.append(3, topic: TopicKey("caf\u{e9}"))) == "superseded 1")
  }

  private func text(_ outcome: MailboxQueue<Int>.Outcome) -> String {
    switch outcome {
    case .taken: "taken"
    case .full: "full"
    case .dropped(let value): "dropped \(value)"
    case .superseded(let value): "superseded \(value)"
    }
  }

  private func text(_ event: Event<Int>?) -> String {
    switch event {
    case .next(let value): "value \(value)"
    case .progress(let update): "progress \(Int(update.done ?? -1))"
    case .failed(let error): "failed \(error)"
    case .completed: "completed"
    case nil: "nothing"
    }
  }

  private func text(_ entry: NaiveMailbox.Entry?) -> String {
    switch entry {
    case .value(let value, _): "value \(value)"
    case .progress(let step): "progress \(step)"
    case nil: "nothing"
    }
  }
}
