import Signals
import Testing

@testable import SignalBox

@Suite struct FollowMachineTests {
  private func progress(
    _ run: String?, _ fraction: Double, stored: Bool = false, outcome: JobState? = nil, attempt: Int = 1
  ) -> FollowMachine.Input {
    .progress(
      ProgressMessage(ProgressUpdate(fraction: fraction, attempt: attempt), run: run, outcome: outcome),
      isStored: stored)
  }

  private func state(
    _ run: String?, _ state: JobState, stored: Bool = false, values: Int? = nil
  ) -> FollowMachine.Input {
    var message = StateMessage(state, run: run)
    message.values = values
    return .state(message, isStored: stored)
  }

  /// What comes out, as text: progress by percent.
  private func play(_ inputs: [FollowMachine.Input], _ mode: FollowedRun = .current) -> [String] {
    var machine = FollowMachine(mode)
    var result: [String] = []
    for input in inputs {
      for output in machine.receive(input) {
        switch output {
        case .value: result.append("value")
        case .progress(let update): result.append("\(Int(((update.fraction ?? 0) * 100).rounded()))%")
        case .wait: result.append("wait")
        case .end(let error): result.append(error.map { "\($0)" } ?? "completed")
        }
        if case .end = output { return result }
      }
    }
    return result
  }

  @Test func `a run from its beginning to its end`() {
    let log = play([
      state("r", .running), progress("r", 0.1), .value(isStored: false), progress("r", 1, outcome: .done),
      state("r", .done, values: 1),
    ])
    #expect(log == ["10%", "value", "100%", "completed"])
  }

  @Test func `the end waits for values and the last progress that come after it`() {
    let log = play([
      state("r", .running), state("r", .done, values: 2), .value(isStored: false),
      progress("r", 1, outcome: .done),
      .value(isStored: false),
    ])
    #expect(log == ["wait", "value", "100%", "value", "completed"])
  }

  @Test func `an end waits two seconds at most`() {
    #expect(
      play([state("r", .running), state("r", .failed), .waited(token: 1)]) == ["wait", "the job failed"])
  }

  @Test func `one who comes late gets the stored outcome, after the stored progress`() {
    let log = play([
      state("r", .done, stored: true, values: 9), progress("r", 1, stored: true, outcome: .done),
    ])
    #expect(log == ["wait", "100%", "completed"])
  }

  @Test func `lost is taken back by a live word of the same run, not by a stored one`() {
    #expect(
      play([
        state("r", .running), progress("r", 0.5), state("r", .lost), progress("r", 0.6), .waited(token: 1),
        progress("r", 0.7),
      ]) == ["50%", "wait", "60%", "70%"])
    #expect(
      play([state("r", .lost, stored: true), progress("r", 0.6, stored: true), .waited(token: 1)])
        == ["wait", "60%", "the job is lost: its worker is gone without a word"])
  }

  @Test func `lost over a done that the last progress tells of is done`() {
    #expect(
      play([state("r", .lost, stored: true), progress("r", 1, stored: true, outcome: .done)])
        == ["wait", "100%", "completed"])
  }

  @Test func `an end is not taken back`() {
    #expect(
      play([
        state("r", .running), state("r", .done), state("r", .lost), progress("r", 0.9), .waited(token: 1),
      ])
        == ["wait", "90%", "completed"])
  }

  @Test func `a late will of an old run does not end the new one`() {
    #expect(
      play([state("new", .running), progress("new", 0.2), state("old", .lost), progress("new", 0.3)])
        == ["20%", "30%"])
  }

  @Test func `stored progress of an old run gives way to the state of the new one`() {
    #expect(
      play([progress("old", 0.9, stored: true), state("new", .running, stored: true), progress("new", 0.1)])
        == ["90%", "10%"])
    #expect(
      play([state("new", .running, stored: true), progress("old", 0.9, stored: true), progress("new", 0.1)])
        == ["10%"])
  }

  @Test func `a new run while one is followed ends that`() {
    #expect(
      play([state("a", .running), progress("a", 0.5), state("b", .running)]) == [
        "50%", "a new run of the job began",
      ])
    #expect(play([progress("a", 0.5), progress("b", 0.1)]) == ["50%", "a new run of the job began"])
  }

  @Test func `next follows a run that is under way`() {
    let inputs = [
      state("r", .running, stored: true), progress("r", 0.4, stored: true), progress("r", 0.5),
    ]
    #expect(play(inputs, .next) == ["40%", "50%"])
  }

  @Test func `next passes over what is stored of a run that has ended`() {
    let inputs = [
      state("old", .done, stored: true), progress("old", 1, stored: true, outcome: .done),
      .value(isStored: true),
      state("new", .running), progress("new", 0.1),
    ]
    #expect(play(inputs, .next) == ["10%"])
  }

  @Test func `the shown fraction never falls within an attempt`() {
    #expect(
      play([progress("r", 0.5), progress("r", 0.4), progress("r", 0.1, attempt: 2)]) == ["50%", "50%", "10%"])
  }

  @Test func `the anonymous run of a shell script works the same`() {
    #expect(
      play([state(nil, .running), progress(nil, 0.3), state(nil, .done), .waited(token: 1)])
        == ["30%", "wait", "completed"])
  }
}
