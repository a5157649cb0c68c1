/// How often pieces of one whole were tried again, all together.
struct RetryCount: Sendable {
  /// That of the whole: 1 more than there were retries.
  private(set) var attempt = 1

  /// A piece goes on to another attempt. One that is not the next counts too: a lower number is the first of a source
  /// that was started anew.
  mutating func add(from old: Int, to new: Int) {
    let (sum, overflows) = attempt.addingReportingOverflow(max(new - old, 1))
    attempt = overflows ? .max : sum
  }
}
