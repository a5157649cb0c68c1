import Brokers
import Foundation
import Fuzzing

/// What one link of a client goes through: a greeting, then bursts of packets, some of them damaged, each with a sound
/// message behind it. That is acknowledged, or the client ends the link: anything else is a client that hangs.
///
/// The same seed and number of the link give the same bytes, but for the answers to what the client sends.
struct Attack {
  private static let bursts = 100
  /// What is sent at most to fill a packet up whose length is a lie.
  private static let largestFiller = 70_000
  /// How many of a hundred bursts that make libmosquitto leave memory behind are sent.
  private static let leaking = 2

  private let link: ScriptedBroker.Link
  private let tally: Tally
  private let fences: Fences
  private var dice: Dice
  private var source: PacketSource
  /// The damaged packets that the client may not have read yet.
  private var unread = 0
  /// Whether it has read one of them if it has read anything of what was sent since the last fence.
  private var beginsDamaged: Bool?
  private var isOver = false

  init(_ link: ScriptedBroker.Link, seed: UInt64, _ tally: Tally, _ fences: Fences) {
    self.link = link
    self.tally = tally
    self.fences = fences
    var dice = Dice(seed: seed &+ UInt64(link.number) &* 0x9E37_79B9)
    self.dice = Dice(seed: dice.next())
    source = PacketSource(version: link.version)
  }

  mutating func run() throws {
    guard case .connect = try link.receive() else { return }
    source = PacketSource(version: link.version)
    let greeting = try link.bytes([source.connack(using: &dice)])
    try send([greeting], damages: dice.chance(15) ? 100 : 0, isGreeting: true)
    for _ in 0..<Self.bursts {
      if isOver || tally.isComplete { break }
      var packets: [[UInt8]] = []
      for _ in 0...dice.roll(4) { packets.append(try link.bytes([source.packet(using: &dice)])) }
      try send(packets, damages: dice.pick([10, 30, 60]))
      if !isOver { try awaitFence() }
    }
    if !isOver { try part() }
    if beginsDamaged == true { tally.add { $0.packets += 1 } }
  }

  /// Ends a link that the client has kept.
  private mutating func part() throws {
    switch dice.roll(4) {
    case 0: try? link.reset()
    case 1: try? link.send(bytes: dice.bytes(3))
    case 2: try? link.send(.disconnect(.serverShuttingDown))
    default: break
    }
  }

  // MARK: Packets

  /// Sends packets, so many of a hundred damaged, in random pieces.
  private mutating func send(_ packets: [[UInt8]], damages: Int, isGreeting: Bool = false) throws {
    var packets = packets
    var damaged: Set<Int> = []
    for index in packets.indices where dice.chance(damages) {
      damaged.insert(index)
      if dice.chance(60) {
        Mutation.scratch(&packets[index], using: &dice)
        continue
      }
      let other = packets[dice.roll(packets.count)]
      for _ in 0...(dice.chance(20) ? dice.roll(4) : 0) {
        dice.pick(Mutation.allCases).damage(&packets[index], other, using: &dice)
      }
    }
    if packets.count > 1, dice.chance(15) {
      let other = dice.roll(packets.count)
      packets.swapAt(0, other)
      if damaged.contains(0) != damaged.contains(other) { damaged.formSymmetricDifference([0, other]) }
    }
    if dice.chance(15) { packets.append(dice.pick(packets)) }
    var bytes = packets.flatMap(\.self)
    let isAligned = align(&bytes)
    if KnownFaults.crash(isGreeting ? Array(bytes.dropFirst(firstPacket(bytes))) : bytes, link.version) {
      return
    }
    let leak = KnownFaults.leak(bytes, link.version)
    if leak > 0 {
      // Rare, so that they do not hide others.
      guard dice.chance(Self.leaking) else { return }
      tally.add { $0.forgiven += leak }
    }
    unread += damaged.count
    beginsDamaged = beginsDamaged ?? damaged.contains(0)
    let isSent = write(bytes)
    if !isAligned || !isSent { isOver = true }
  }

  /// The size of the first packet if that is a CONNACK, which the client looks at itself.
  private func firstPacket(_ bytes: [UInt8]) -> Int {
    guard let first = PacketStream(bytes).packets.first, first.header & 0xF0 == 0x20 else { return 0 }
    return first.body.upperBound
  }

  /// Fills up the last packet, so that the next byte begins another one. False when that can't be.
  private mutating func align(_ bytes: inout [UInt8]) -> Bool {
    while true {
      switch PacketStream(bytes).end {
      case .whole: return true
      case .broken(let place):
        // What libmosquitto makes of the rest depends on how it comes in.
        bytes.removeLast(max(0, bytes.count - place - (bytes[place] == 0 ? 4 : 6)))
        return false
      case .missing(let count):
        if count > Self.largestFiller { return false }
        // The rest of a length is a small one.
        bytes += count == 1 ? [UInt8(dice.roll(100))] : dice.bytes(count)
      }
    }
  }

  /// False when the client has gone.
  private mutating func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    let pieces = dice.chance(30) ? dice.roll(6) : 0
    do {
      for _ in 0..<pieces where rest.count > 1 {
        let count = 1 + dice.roll(rest.count - 1)
        try link.send(bytes: Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
        sched_yield()
      }
      try link.send(bytes: Array(rest))
      return true
    } catch {
      return false
    }
  }

  // MARK: The client's part

  /// Waits until the client has read all that was sent, or has gone; answers what it sends.
  private mutating func awaitFence() throws {
    let fence = fences.next()
    guard write(try link.bytes([fence.packet])) else {
      isOver = true
      return
    }
    while !isOver {
      guard let packet = try link.receive() else {
        isOver = true
        return
      }
      if case .puback(let ack) = packet, ack.id == fence.id {
        let read = unread
        tally.add {
          $0.fences += 1
          $0.packets += read
        }
        unread = 0
        beginsDamaged = nil
        return
      }
      if case .disconnect = packet { isOver = true }
      if isOver { return }
      guard dice.chance(80), let answer = answer(to: packet) else { continue }
      try send([try link.bytes([answer])], damages: 30)
    }
  }

  private func answer(to packet: Packet) -> Packet? {
    switch packet {
    case .publish(let publish):
      publish.qos == 1 ? .puback(publish.id) : publish.qos == 2 ? .pubrec(publish.id) : nil
    case .pubrel(let ack): .pubcomp(ack.id)
    case .subscribe(let subscribe): .suback(subscribe.id, subscribe.filters.map { .granted($0.qos) })
    case .unsubscribe(let unsubscribe): .unsuback(unsubscribe.id, unsubscribe.filters.map { _ in .success })
    default: nil
    }
  }
}
