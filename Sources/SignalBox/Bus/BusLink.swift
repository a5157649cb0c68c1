import MQTT

/// One connection of a bus, and what it tells.
///
/// After a refusal for good the next subscriber makes the bus connect anew, while a slow handler may still hold up
/// what the last connection has to tell: the bus looks at whose words they are.
final class BusLink: ConnectionDelegate {
  let connection: Connection
  private weak let core: BusCore?

  init(_ connection: Connection, _ core: BusCore) {
    self.connection = connection
    self.core = core
  }

  /// Begins to connect, if that has not begun.
  func connect() -> Connection {
    connection.connect(delegate: self)
    return connection
  }

  func connectionDidConnect(_ session: Session) { core?.didConnect(session, self) }

  func connectionDidDisconnect(_ cause: ConnectionError?) { core?.didDisconnect(self) }

  func connectionDidReceive(_ message: Message) { core?.didReceive(message, self) }
}
