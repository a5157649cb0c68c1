/// Who waits for which answer, as a value type.
///
/// Each question has correlation data of its own, which is never used again: what comes with other data, or a second
/// time, or too late, belongs to nobody.
struct PendingAnswers<Asker> {
  private var askers: [[UInt8]: Asker] = [:]
  private var lastNumber: UInt64 = 0

  /// How many wait.
  var count: Int { askers.count }

  /// Takes in one who asks; gives what the question has to carry.
  mutating func ask(_ asker: Asker) -> [UInt8] {
    lastNumber += 1
    let correlation = withUnsafeBytes(of: lastNumber.bigEndian, Array.init)
    askers[correlation] = asker
    return correlation
  }

  /// An answer with these correlation data has come, or nobody waits for it any more: gives who waited, once.
  mutating func take(_ correlation: [UInt8]?) -> Asker? {
    correlation.flatMap { askers.removeValue(forKey: $0) }
  }
}
