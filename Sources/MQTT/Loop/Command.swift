/// What other threads ask of the loop thread, beside publishing.
enum Command: Sendable {
  case subscribe([Subscribe], Answer)
  case unsubscribe([TopicFilter], Answer)
  /// What the machine asked for has come.
  case answered(ConnectionMachine.Event)
  /// The link of attempt number `attempt` was opened on another thread.
  case opened(attempt: Int, Result<HandOver, ConnectionError>)
  /// A later publish has decided what became of an earlier one.
  case settled(Mailbox.Completion, PublishResult)
  /// The planner has something to do.
  case plan

  /// Whom to tell how a request ended.
  enum Answer: Sendable {
    case subscribe(@Sendable (Result<[SubscribeResult], ConnectionError>) -> Void)
    case unsubscribe(@Sendable (Result<Void, ConnectionError>) -> Void)
    /// The planner, in the loop.
    case planned([Subscribe])
    case plannedEnd([TopicFilter])

    func fail(_ error: ConnectionError) {
      Ending(answer: self, result: .failure(error))()
    }
  }

  /// How a request ended; without results for an unsubscribe.
  struct Ending: Sendable {
    let answer: Answer
    let result: Result<[SubscribeResult], ConnectionError>

    /// Tells the user's code.
    func callAsFunction() {
      switch answer {
      case .subscribe(let completion): completion(result)
      case .unsubscribe(let completion): completion(result.map { _ in })
      case .planned, .plannedEnd: break
      }
    }
  }

  /// Whom to tell when the command can't be carried out.
  var answer: Answer? {
    switch self {
    case .subscribe(_, let answer), .unsubscribe(_, let answer): answer
    case .answered, .opened, .settled, .plan: nil
    }
  }

  /// What is still owed to somebody when nothing is carried out any more, because of `error`.
  func end(_ error: ConnectionError) -> Report? {
    if case .settled(let completion, let result) = self { return .result(completion, result) }
    return answer.map { answer in .call { answer.fail(error) } }
  }
}
