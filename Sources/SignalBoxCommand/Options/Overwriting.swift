import Foundation

/// Writes over a secret inside the arguments of this process, where `ps` shows them to everybody.
func overwrite(_ secret: UnsafeMutablePointer<CChar>) {
  memset(secret, Int32(UInt8(ascii: "x")), strlen(secret))
}
