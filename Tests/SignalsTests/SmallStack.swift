import Foundation

/// Runs `body` on a thread with a stack of 256 KB, on which nothing can recurse deeply.
func onSmallStack(_ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
    let thread = Thread {
      body()
      done.resume()
    }
    thread.stackSize = 256 * 1024
    thread.start()
  }
}
