public import Signals

/// One connection to one broker, kept up until it is closed.
///
/// ```swift
/// let connection = try Connection(ConnectionOptions(url: "mqtt://localhost"))
/// connection.connect(delegate: router)
/// try await connection.publish(Publish(Topic("lamp/power"), "on"))
/// await connection.close()
/// ```
///
/// It has threads of its own: two, one of which sleeps unless user code takes its time. Completions, observers of
/// ``states`` and the log are called there, one after the other, in no lock; completions exactly once, those of calls
/// that could not be taken on the caller's thread before the call returns. (Before ``connect(delegate:)`` there are no
/// threads: whoever publishes then also calls the completions of what that displaces.) They may block, as the delegate
/// may: neither holds up the other, or the link. Messages of QoS 1 and 2 that were not acknowledged when the link broke are
/// sent again, in order and before newer ones, so they may arrive twice. SIGPIPE is ignored
/// for the whole process: by libmosquitto up to 2.0.14, and with TLS by this module unless the program handles it.
///
/// Dropping the last reference without ``close(deadline:)`` says goodbye to the broker at once: what still waits to
/// be sent ends with ``ConnectionError/closed``, and the threads end.
public final class Connection: Sendable {
  let mailbox: Mailbox
  private let resolve: Resolver.Resolve

  /// Checks `options`; nothing is sent or looked up before ``connect(delegate:)``.
  public convenience init(_ options: ConnectionOptions) throws(ConnectionError) {
    try self.init(options, resolve: Resolver.resolve)
  }

  /// Looks names up with `resolve`.
  init(_ options: ConnectionOptions, resolve: @escaping Resolver.Resolve) throws(ConnectionError) {
    try options.check()
    mailbox = try Mailbox(options)
    self.resolve = resolve
  }

  deinit {
    mailbox.close(by: .now, nil)
  }

  /// Where the connection stands, the present state first. Completes after ``ConnectionState/closed(_:)``.
  public var states: Signal<ConnectionState> { mailbox.states.signal }

  /// What the connection has done until now, and what it is at. Cheap enough to ask for every second.
  public var metrics: ConnectionMetrics { mailbox.metrics }

  /// Starts to connect, and to connect again whenever the link breaks. Only the first call does anything.
  ///
  /// `delegate` is held weakly; while there is none, messages are acknowledged and dropped.
  public func connect(delegate: (any ConnectionDelegate)? = nil) {
    connect(delegate: delegate, planner: nil)
  }

  /// The same; `planner` decides on all subscriptions, and is held weakly too.
  package func connect(delegate: (any ConnectionDelegate)?, planner: (any LinkPlanner)?) {
    guard mailbox.start() else { return }
    let (delegate, planner) = (WeakDelegate(value: delegate), WeakPlanner(value: planner))
    let started = mailbox.threads.start { [mailbox, resolve] in
      EventLoop(mailbox, delegate: delegate, planner: planner, resolve: resolve).run()
    }
    if !started { mailbox.abort(.invalid("the system has no thread for the connection")) }
  }

  /// Asks the broker for `subscribes`, with one answer for each, in their order.
  ///
  /// Fails with ``ConnectionError/notConnected`` while there is no connection, with the cause when the link breaks
  /// before the answer, and with ``ConnectionError/timedOut(_:)`` after
  /// ``ConnectionOptions/acknowledgementDeadline``. A refused filter is an answer, not a failure.
  public func subscribe(
    _ subscribes: [Subscribe],
    completion: @escaping @Sendable (Result<[SubscribeResult], ConnectionError>) -> Void
  ) {
    if let problem = subscribes.lazy.compactMap(\.problem).first {
      return completion(.failure(.invalid(problem)))
    }
    if subscribes.isEmpty { return completion(.success([])) }
    mailbox.post(.subscribe(subscribes, .subscribe(completion)))
  }

  /// Ends the subscriptions to `filters`, and tells when the broker has answered; its reason is not known, since
  /// libmosquitto does not pass it on. Fails like ``subscribe(_:completion:)``.
  public func unsubscribe(
    _ filters: [TopicFilter], completion: @escaping @Sendable (Result<Void, ConnectionError>) -> Void
  ) {
    if filters.isEmpty { return completion(.success(())) }
    mailbox.post(.unsubscribe(filters, .unsubscribe(completion)))
  }

  /// Queues a message. Never blocks; cheap from any thread.
  ///
  /// QoS 1 and 2 wait for a connection, QoS 0 only when ``Publish/queuesOffline``. Messages leave in the order in
  /// which they were queued, whatever their QoS.
  public func publish(_ publish: Publish, completion: @escaping @Sendable (PublishResult) -> Void) {
    queue(publish, completion)
  }

  /// Queues a message, as ``publish(_:completion:)`` does; nobody hears what becomes of it.
  public func send(_ publish: Publish) {
    queue(publish, nil)
  }

  private func queue(_ publish: Publish, _ completion: (@Sendable (PublishResult) -> Void)?) {
    if let problem = publish.problem {
      completion?(.failed(.invalid("the message on \"\(publish.topic)\" can't be sent: \(problem)")))
      return
    }
    mailbox.publish(publish, completion)
  }

  /// Has the planner asked what to do, by the owner of the loop.
  package func replan() { mailbox.post(.plan) }

  /// Sends what waits, for `deadline` at most, says goodbye to the broker and ends the threads.
  ///
  /// Waits for the acknowledgements too, for a connection if there is none, and for handlers that are at work, unless
  /// it is called by one. What is not settled by then ends with ``ConnectionError/closed``; messages that still wait for
  /// a handler are dropped. From the call on nothing new is taken. `completion` may be called on the connection's
  /// thread; closing again only makes the deadline earlier.
  public func close(deadline: Duration = .seconds(5), completion: @escaping @Sendable () -> Void) {
    mailbox.close(by: .now + deadline.bounded, completion)
  }
}
