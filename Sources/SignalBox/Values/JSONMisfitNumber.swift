import Foundation

/// Finds the number that does not fit its type, since the decoder's error names neither.
///
/// In its place a text makes the decoder tell both.
enum JSONMisfitNumber {
  /// Anybody may send what does not fit: a long document is not worth the time.
  private static let (longest, attempts) = (2_048, 16)

  static func find(in payload: [UInt8], _ decode: (Data) throws -> Void) -> (JSONPointer, Any.Type)? {
    guard payload.count <= longest,
      let document = try? JSONSerialization.jsonObject(with: Data(payload))
    else { return nil }
    for (steps, number) in numbers(document).filter({ !fits($0.1, Int8.self) }).prefix(attempts) {
      let changed = replacing(document, steps[...])
      guard let data = try? JSONSerialization.data(withJSONObject: changed) else { continue }
      do {
        try decode(data)
      } catch DecodingError.typeMismatch(let type, let context) {
        let place = JSONPointer(context.codingPath)
        if place.steps == steps, !fits(number, type) { return (place, type) }
      } catch {}
    }
    return nil
  }

  private static func fits(_ number: Double, _ type: Any.Type) -> Bool {
    func fits<Integer: FixedWidthInteger>(_: Integer.Type) -> Bool { Integer(exactly: number) != nil }
    if let integer = type as? any FixedWidthInteger.Type { return fits(integer) }
    return type == Float.self ? Float(number).isFinite : true
  }

  private static func numbers(_ value: Any, _ steps: [String] = []) -> [([String], Double)] {
    switch value {
    case let object as [String: Any]:
      object.sorted { $0.key < $1.key }.flatMap { numbers($0.value, steps + [$0.key]) }
    case let list as [Any]: list.enumerated().flatMap { numbers($0.element, steps + [String($0.offset)]) }
    case let number as NSNumber: [(steps, number.doubleValue)]
    default: []
    }
  }

  private static func replacing(_ value: Any, _ steps: ArraySlice<String>) -> Any {
    guard let step = steps.first else { return "" }
    if var object = value as? [String: Any] {
      object[step] = object[step].map { replacing($0, steps.dropFirst()) }
      return object
    }
    guard var list = value as? [Any], let index = JSONPointer.index(step), list.indices.contains(index) else {
      return value
    }
    list[index] = replacing(list[index], steps.dropFirst())
    return list
  }
}
