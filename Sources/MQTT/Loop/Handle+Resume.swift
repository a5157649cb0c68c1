import CMosquitto

extension Handle {
  /// The ids that the library's counter goes through, from 1.
  private static var ids: Int32 { 65_535 }

  /// Has the library send what an earlier link left unsettled, right after the broker's greeting, each message under
  /// its old id and marked as sent again (MQTT 5, 4.4). Only for a handle that does not connect yet.
  ///
  /// The library queues a publish of QoS 1 or 2 that finds no connection, says so with "no connection", and sends it
  /// when there is one. Its counter of ids is drawn from even by a publish of QoS 0 that fails for want of a
  /// connection, so it can be moved to where it has to be.
  func resume(_ resumption: Resumption) throws(ConnectionError) {
    var last: Int32 = 0
    for (id, publish) in resumption.publishes {
      let before = id == 1 ? Self.ids : id - 1
      if last % Self.ids != before % Self.ids { last = skipIDs(through: before) }
      let (code, drawn) = try hand(publish)
      if code != MOSQ_ERR_NO_CONN.rawValue {
        try check(code, "the message on \"\(publish.topic)\"")
      }
      last = drawn
    }
    if last != resumption.newest { skipIDs(through: resumption.newest) }
  }

  /// Draws ids until `id` is drawn, so that the next one follows it; gives the last one drawn.
  @discardableResult
  func skipIDs(through id: Int32) -> Int32 {
    var drawn: Int32 = 0
    var left = Self.ids
    while drawn != id, left > 0 {
      mosquitto_publish(mosquitto, &drawn, "-", 0, nil, 0, false)
      left -= 1
    }
    return drawn
  }
}
