#if canImport(Darwin)
  import Dispatch
  import Darwin
#else
  import Glibc
#endif

/// A counting semaphore whose waits no change of the wall clock makes longer or shorter.
///
/// On Linux the one of Dispatch waits until a time of the wall clock: set back by an hour during a wait of 50 ms, that
/// lasts an hour.
///
/// Sound as `@unchecked Sendable`: the count is touched only with the mutex held.
final class Semaphore: @unchecked Sendable {
  #if canImport(Darwin)
    private let semaphore = DispatchSemaphore(value: 0)

    /// Lets one wait end, the present or the next one.
    func signal() { semaphore.signal() }

    /// Waits for a signal.
    func wait() { semaphore.wait() }

    /// Waits for a signal, for `pause` at most. Whether there was one.
    func wait(for pause: Duration) -> Bool {
      semaphore.wait(timeout: .now() + .milliseconds(Int(pause.milliseconds))) == .success
    }
  #else
    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let condition = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    private var count = 0

    init() {
      pthread_mutex_init(mutex, nil)
      var attributes = pthread_condattr_t()
      pthread_condattr_init(&attributes)
      pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
      pthread_cond_init(condition, &attributes)
      pthread_condattr_destroy(&attributes)
    }

    deinit {
      pthread_cond_destroy(condition)
      pthread_mutex_destroy(mutex)
      condition.deallocate()
      mutex.deallocate()
    }

    /// Lets one wait end, the present or the next one.
    func signal() {
      pthread_mutex_lock(mutex)
      count += 1
      pthread_cond_signal(condition)
      pthread_mutex_unlock(mutex)
    }

    /// Waits for a signal.
    func wait() {
      pthread_mutex_lock(mutex)
      while count == 0 { pthread_cond_wait(condition, mutex) }
      count -= 1
      pthread_mutex_unlock(mutex)
    }

    /// Waits for a signal, for `pause` at most. Whether there was one.
    func wait(for pause: Duration) -> Bool {
      var end = timespec()
      clock_gettime(CLOCK_MONOTONIC, &end)
      let nanoseconds = end.tv_nsec + Int(pause.milliseconds) % 1_000 * 1_000_000
      end.tv_sec += Int(pause.milliseconds) / 1_000 + nanoseconds / 1_000_000_000
      end.tv_nsec = nanoseconds % 1_000_000_000
      pthread_mutex_lock(mutex)
      defer { pthread_mutex_unlock(mutex) }
      while count == 0 {
        if pthread_cond_timedwait(condition, mutex, &end) != 0 { break }
      }
      guard count > 0 else { return false }
      count -= 1
      return true
    }
  #endif
}
