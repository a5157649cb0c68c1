/// A stream of events that begins when somebody subscribes.
///
/// A signal is cold: each subscription runs the start closure, and its disposal runs what the closure returned.
/// `shared` makes many observers use one run; a `Subject` is sent into by hand.
///
/// ```swift
/// let ticks = Signal<Int> { observer in
///   observer.send(progress: 0.5)
///   observer.send(1)
///   observer.complete()
///   return nil
/// }
/// ticks.subscribe { print($0) } completed: { print("done") }
/// ```
///
/// No operator changes threads by itself: an event is delivered by a thread that sends into its source.
public struct Signal<Value: Sendable>: Sendable {
  /// Attaches an observer that ends by itself at a terminal. The source sends one event at a time.
  @usableFromInline package let attach: @Sendable (Observer<Value>) -> (any Disposable)?

  /// What is said of this signal alone: what an operator makes of it has none.
  @usableFromInline let traits: SignalTraits?

  /// For sources and operators of this module, which keep the grammar and the order themselves.
  @usableFromInline
  init(
    attaching attach: @escaping @Sendable (Observer<Value>) -> (any Disposable)?,
    traits: SignalTraits? = nil
  ) {
    self.attach = attach
    self.traits = traits
  }

  /// The same for sources in other modules of this package.
  package static func attaching(
    _ attach: @escaping @Sendable (Observer<Value>) -> (any Disposable)?
  ) -> Signal {
    Signal(attaching: attach)
  }

  /// Makes a signal from what a subscription starts.
  ///
  /// `start` runs once for each subscription, on the thread that subscribes, and may send at once, later, and from
  /// any thread. What it returns is disposed once: at the disposal of the subscription or at the terminal.
  @inlinable
  public init(_ start: @escaping @Sendable (Observer<Value>) -> (any Disposable)?) {
    traits = nil
    attach = { downstream in
      let link = EmitterLink(downstream)
      link.attach(start(Emitter(link)))
      return link
    }
  }

  /// Attaches handlers; those that are left out ignore their events.
  ///
  /// They run one at a time, in the order of the events, on the thread that sends. Nothing is delivered after
  /// `failed` or `completed`. A failure for which there is no handler is ignored: while something does not work, put
  /// `log()` in front.
  @discardableResult @inlinable
  public func subscribe(
    _ next: (@Sendable (Value) -> Void)? = nil,
    progress: (@Sendable (ProgressUpdate) -> Void)? = nil,
    failed: (@Sendable (any Error) -> Void)? = nil,
    completed: (@Sendable () -> Void)? = nil
  ) -> Subscription {
    let subscription = Subscription()
    let observer = HandlerObserver(
      subscription, next: next, progress: progress, failed: failed, completed: completed)
    subscription.attach(attach(observer))
    return subscription
  }

  /// Sends everything into an observer, for example a `Subject`: values, progress and the terminal.
  @discardableResult
  public func subscribe(_ observer: Observer<Value>) -> Subscription {
    let subscription = Subscription()
    subscription.attach(attach(ForwardingObserver(subscription, to: observer)))
    return subscription
  }
}
