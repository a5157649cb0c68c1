import Fuzzing
import Testing

@testable import Brokers

@Suite(.timeLimit(.minutes(2)))
struct PacketDecoderFuzzTests {
  @Test(
    "What a decoder takes of damaged packets are the bytes that it writes, in the shortest form",
    arguments: [1, 9_587_776_308_919_320_542, UInt64.random(in: 0...UInt64.max)])
  func roundTrips(_ seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var accepted = 0
    for number in 0..<10_000 {
      let version = dice.chance(50) ? Packet.Version.v5 : .v311
      let bytes = try damaged(version, using: &dice)
      var start = 0
      for (header, place) in PacketStream(bytes).packets {
        let frame = Array(bytes[start..<place.upperBound])
        start = place.upperBound
        var decoder = PacketDecoder(version: version)
        decoder.append(frame)
        guard let packet = try? decoder.next() else { continue }
        accepted += 1
        let written = try packet.encoded(for: version)
        let isShorter = written.count < frame.count && mayBeShorter(header, frame[...])
        #expect(written == frame || isShorter, "seed \(seed), packet \(number): \(packet) of \(frame)")
        var again = PacketDecoder(version: version)
        again.append(written)
        #expect(try again.next() == packet, "seed \(seed), packet \(number)")
      }
    }
    #expect(accepted > 3_000)
  }

  @Test(
    "How bytes are cut into pieces makes no difference to what a decoder reads",
    arguments: [
      2, UInt64.random(in: 0...UInt64.max),
    ])
  func pieces(_ seed: UInt64) throws {
    var dice = Dice(seed: seed)
    for _ in 0..<2_000 {
      let version = dice.chance(50) ? Packet.Version.v5 : .v311
      var bytes: [UInt8] = []
      for _ in 0...dice.roll(4) { bytes += try damaged(version, using: &dice) }
      let whole = read([bytes], version)
      var rest = bytes[...]
      var parts: [[UInt8]] = []
      while !rest.isEmpty {
        parts.append(Array(rest.prefix(1 + dice.roll(30))))
        rest = rest.dropFirst(parts[parts.count - 1].count)
      }
      #expect(read(parts, version) == whole, "seed \(seed)")
    }
  }

  private func damaged(_ version: Packet.Version, using dice: inout Dice) throws -> [UInt8] {
    let source = PacketSource(version: version)
    func sample() throws -> [UInt8] {
      let packet =
        dice.chance(30)
        ? dice.pick(PacketSamples.all(version)) : source.packet(using: &dice)
      return try packet.encoded(for: version)
    }
    var bytes = try sample()
    let other = try sample()
    if dice.chance(30) { Mutation.scratch(&bytes, using: &dice) }
    if dice.chance(70) { dice.pick(Mutation.allCases).damage(&bytes, other, using: &dice) }
    return bytes
  }

  /// The packets and the errors; the end is an error too, when a length can't be read.
  private func read(_ parts: [[UInt8]], _ version: Packet.Version) -> [String] {
    var decoder = PacketDecoder(version: version)
    var found: [String] = []
    for part in parts {
      decoder.append(part)
      var isStuck = false
      while !isStuck {
        let before = decoder.pendingBytes
        do {
          guard let packet = try decoder.next() else { break }
          found.append("\(packet)")
        } catch {
          // From here on nothing can be read.
          isStuck = decoder.pendingBytes == before
          if isStuck, found.last == "\(error)" { break }
          found.append("\(error)")
        }
      }
    }
    return found
  }

  /// Whether a success without properties may be left out.
  private func mayBeShorter(_ header: UInt8, _ frame: ArraySlice<UInt8>) -> Bool {
    [0x40, 0x50, 0x60, 0x70, 0xE0, 0xF0].contains(header & 0xF0) && frame.last == 0
  }
}
