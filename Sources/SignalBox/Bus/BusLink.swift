import MQTT

/// One connection of a bus, and what it tells.
///
/// After a refusal for good the next subscriber makes the bus connect anew, while a slow handler may still hold up
/// what the last connection has to tell: the bus looks at whose words they are.
final class BusLink: ConnectionDelegate, LinkPlanner {
  let connection: Connection
  private weak let core: BusCore?

  init(_ connection: Connection, _ core: BusCore) {
    self.connection = connection
    self.core = core
  }

  /// Begins to connect, if that has not begun.
  func connect() -> Connection {
    connection.connect(delegate: self, planner: self)
    return connection
  }

  // MARK: In the order of the messages

  func connectionDidConnect(_ session: Session) { core?.didConnect(session, self) }

  func connectionDidDisconnect(_ cause: ConnectionError?) {}

  func connectionDidReceive(_ message: Message) { core?.didReceive(message, self) }

  // MARK: In the loop

  func linkOpened(_ session: Session) -> LinkWork { core?.linkOpened(session, self) ?? LinkWork() }

  func linkClosed(_ end: LinkEnd) -> LinkWork { core?.linkClosed(end, self) ?? LinkWork() }

  func plan() -> LinkWork { core?.plan(self) ?? LinkWork() }

  func subscribed(
    _ subscribes: [Subscribe], _ answer: Result<[SubscribeResult], ConnectionError>
  ) -> LinkWork {
    core?.subscribed(subscribes, answer, self) ?? LinkWork()
  }

  func unsubscribed(_ filters: [TopicFilter], _ answer: Result<Void, ConnectionError>) -> LinkWork {
    core?.unsubscribed(filters, answer, self) ?? LinkWork()
  }
}
