/// What decides on the subscriptions of a connection, for the layer above.
///
/// It is asked by whoever owns the loop, between two calls of the library and in the order in which the link tells:
/// so one writer compares what is wanted with what the broker has, no handler holds that up, and what is subscribed
/// when a link opens goes out before what waits in the outbox. It must be quick, and call no user code: what users
/// shall hear it gives back.
package protocol LinkPlanner: AnyObject, Sendable {
  /// The broker has accepted the connection. ``Session/number`` tells links apart.
  func linkOpened(_ session: Session) -> LinkWork

  /// The link is gone; after this the requests without an answer end.
  func linkClosed(_ end: LinkEnd) -> LinkWork

  /// Somebody called ``Connection/replan()``, or the time has come that was asked for.
  func plan() -> LinkWork

  /// The answers to ``LinkWork/subscribes``, one for each in their order, or why there are none.
  func subscribed(
    _ subscribes: [Subscribe], _ answer: Result<[SubscribeResult], ConnectionError>
  ) -> LinkWork

  /// The answer to ``LinkWork/unsubscribes``.
  func unsubscribed(_ filters: [TopicFilter], _ answer: Result<Void, ConnectionError>) -> LinkWork
}

/// What the end of a link may say about subscriptions.
package enum LinkEnd: Sendable {
  /// The broker ended it, and what it was asked for last may be why.
  case byBroker
  /// The broker sent one copy with all identifiers to overlapping subscriptions, which libmosquitto does not read.
  case byIdentifiers
  /// Nothing.
  case other
}

/// What a ``LinkPlanner`` wants to be done.
package struct LinkWork: Sendable {
  /// To ask the broker for, each a request of its own.
  package var subscribes: [Subscribe] = []
  /// To end.
  package var unsubscribes: [TopicFilter] = []
  /// User code to call in order with the messages.
  package var deliveries: [@Sendable () -> Void] = []
  /// User code to call in order with completions, whatever handlers are at.
  package var reports: [@Sendable () -> Void] = []
  /// When to be asked again, if nothing comes before.
  package var deadline: ContinuousClock.Instant?

  /// Nothing to do.
  package init() {}
}
