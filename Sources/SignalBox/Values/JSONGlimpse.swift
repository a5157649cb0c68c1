/// What stands at a place of a JSON document: a text, number, true, false or null as it is, a list or object by name.
struct JSONGlimpse: Decodable {
  let text: String

  init(from decoder: any Decoder) throws {
    guard (try? decoder.unkeyedContainer()) == nil else {
      text = "a list"
      return
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      text = "null"
    } else if let flag = try? value.decode(Bool.self) {
      text = String(flag)
    } else if let number = try? value.decode(Int64.self) {
      text = String(number)
    } else if let number = try? value.decode(Double.self) {
      text = String(number)
    } else {
      do {
        text = Glimpse.text(try value.decode(String.self))
      } catch DecodingError.typeMismatch {
        text = (try? decoder.container(keyedBy: StringKey.self)) == nil ? "an unreadable number" : "an object"
      }
    }
  }
}
