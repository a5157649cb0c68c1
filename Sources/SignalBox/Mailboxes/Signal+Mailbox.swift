public import Signals

extension Signal where Value: Topical {
  /// Delivers everything from a mailbox, on its own queue: a slow observer holds up nobody, and misses what the
  /// mailbox's policy says.
  ///
  /// Progress that waits is replaced by newer progress, and neither counts nor overtakes a value. The terminal is never
  /// lost, and comes after all that waits. A disposal drops what waits, and frees a sender that waits for room.
  public func mailbox(_ mailbox: Mailbox) -> Signal<Value> {
    self.mailbox(mailbox) { $0.topic }
  }
}

extension Signal {
  /// Delivers everything from a mailbox, as for a `Message`. With ``Mailbox/Policy/latestPerTopic`` the signal fails,
  /// since nothing tells the topics of these values.
  public func mailbox(_ mailbox: Mailbox) -> Signal<Value> {
    guard mailbox.policy != .latestPerTopic else {
      return .failed(MailboxError.noTopic(type: "\(Value.self)"))
    }
    return through(mailbox, topic: nil)
  }

  /// Delivers everything from a mailbox, as for a `Message`; `topic` tells which values belong together where the
  /// policy is ``Mailbox/Policy/latestPerTopic``. It runs on the thread that sends.
  public func mailbox(_ mailbox: Mailbox, topic: @escaping @Sendable (Value) -> String) -> Signal<Value> {
    through(mailbox, topic: mailbox.policy == .latestPerTopic ? topic : nil)
  }

  private func through(_ mailbox: Mailbox, topic: (@Sendable (Value) -> String)?) -> Signal<Value> {
    .attaching { [attach] downstream in
      let run = MailboxRun(mailbox, topic, downstream)
      // First, so that a sender that waits inside the start is freed by a disposal of the run.
      let disposable = CompoundDisposable([ActionDisposable { [weak run] in run?.close() }])
      disposable.add(attach(MailboxInlet(run)))
      return disposable
    }
  }
}
