import CMosquitto

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Runs `body` on a new detached thread. False when the system has no thread to give.
func startThread(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
  final class Box {
    let name: String
    let body: @Sendable () -> Void
    init(name: String, body: @escaping @Sendable () -> Void) {
      self.name = name
      self.body = body
    }
  }

  let box = Unmanaged.passRetained(Box(name: name, body: body))
  #if canImport(Darwin)
    var thread: pthread_t?
    let result = pthread_create(
      &thread, nil,
      { argument in
        let box = Unmanaged<Box>.fromOpaque(argument).takeRetainedValue()
        signalbox_set_thread_name(box.name)
        box.body()
        return nil
      }, box.toOpaque())
  #else
    var thread = pthread_t()
    let result = pthread_create(
      &thread, nil,
      { argument in
        let box = Unmanaged<Box>.fromOpaque(argument!).takeRetainedValue()
        signalbox_set_thread_name(box.name)
        box.body()
        return nil
      }, box.toOpaque())
  #endif
  if result != 0 {
    box.release()
    return false
  }
  #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
  #else
    pthread_detach(thread)
  #endif
  return true
}
