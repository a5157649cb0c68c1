#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Lends `strings` as the `char *const *` that libmosquitto takes.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  let copies = strings.map { strdup($0) }
  defer { copies.forEach { free($0) } }
  return copies.withUnsafeBufferPointer { body($0.baseAddress!) }
}
