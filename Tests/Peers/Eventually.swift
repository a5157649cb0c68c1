import Dispatch

/// Waits until `condition` holds; the deadline only ends a test that would fail anyway.
public func eventually(
  _ what: String = "the condition did not come true", isolation: isolated (any Actor)? = #isolation,
  _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now + .seconds(90)
  while try await !condition() {
    guard ContinuousClock.now < deadline else { throw NeverTrue(description: what) }
    await withCheckedContinuation { done in
      DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { done.resume() }
    }
  }
}

/// What a test waited for in vain.
public struct NeverTrue: Error, CustomStringConvertible {
  /// What it was.
  public let description: String
}
