import Foundation

/// Writes over a secret inside the arguments of this process, where `ps` shows them to everybody.
func overwrite(_ secret: Flag.Secret, in argument: UnsafeMutablePointer<CChar>) {
  switch secret {
  case .nothing:
    break
  case .all:
    memset(argument, Int32(UInt8(ascii: "x")), strlen(argument))
  case .urlPassword:
    guard let scheme = strstr(argument, "://") else { return }
    let authority = scheme + 3
    let length = strcspn(authority, "/")
    // As MQTT's options read it: from the first colon to the last @.
    let text = UnsafeBufferPointer(start: authority, count: length)
    guard let at = text.lastIndex(of: CChar(UInt8(ascii: "@"))),
      let colon = text[..<at].firstIndex(of: CChar(UInt8(ascii: ":")))
    else { return }
    memset(authority + colon + 1, Int32(UInt8(ascii: "x")), at - colon - 1)
  }
}
