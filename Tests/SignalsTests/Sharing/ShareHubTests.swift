import SignalsTesting
import Testing

@testable import Signals

/// What threads that race bring about now and then: actions that come in the other order than they were decided in.
@Suite struct ShareHubTests {
  private let time = VirtualScheduler()

  private func lingeringHub() -> ShareHub {
    let hub = ShareHub(.init(lingers: true), .seconds(1), time) {
      SubjectRun($0, Subject<Int>(), { $0.send($1) }, start: { _ in nil })
    }
    hub.arrive(at: hub.takeSeat().run) { false }
    hub.leave(1, hasArrived: true)
    return hub
  }

  @Test func `a cancelling that comes after the next linger leaves that alone`() {
    let hub = lingeringHub()
    hub.perform(.cancelLinger(token: 0))
    #expect(time.pendingCount == 1)
    hub.perform(.cancelLinger(token: 1))
    #expect(time.pendingCount == 0)
  }

  @Test func `a linger that comes after its cancelling starts no timer`() {
    let hub = lingeringHub()
    hub.perform(hub.takeSeat().action)
    #expect(time.pendingCount == 0)
    hub.perform(.linger(token: 1))
    #expect(time.pendingCount == 0)
  }
}
