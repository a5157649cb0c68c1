/// A count without a lock: the sanitizer sees it if two handlers ever run at once.
final class Unguarded: @unchecked Sendable {
  // Deliberately unsound: what the tests that use it are about.
  var count = 0
}
