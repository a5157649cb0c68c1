import Foundation
import Peers
import Testing

@testable import MQTT

@Suite(.timeLimit(.minutes(2)))
struct SemaphoreTests {
  @Test("Each signal ends one wait, whether it comes before or after it")
  func counts() async throws {
    let semaphore = Semaphore()
    let ended = Collector<Int>()
    semaphore.signal()
    semaphore.signal()
    semaphore.wait()
    #expect(semaphore.wait(for: .seconds(60)))
    #expect(!semaphore.wait(for: .milliseconds(1)))
    for number in 0..<4 {
      Thread.detachNewThread {
        semaphore.wait()
        ended.add(number)
      }
    }
    for count in 1...4 {
      semaphore.signal()
      try await eventually("no wait has ended") { ended.count == count }
    }
    #expect(!semaphore.wait(for: .zero))
  }

  @Test("A wait without a signal lasts as long as it was asked to")
  func duration() {
    let semaphore = Semaphore()
    for milliseconds in [1, 20, 1_100] {
      let start = ContinuousClock.now
      #expect(!semaphore.wait(for: .milliseconds(milliseconds)))
      #expect(ContinuousClock.now - start >= .milliseconds(milliseconds))
    }
  }
}
