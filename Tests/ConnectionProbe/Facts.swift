import Foundation

/// Prints a fact: a line with its name and its value, at once and in one piece.
func tell(_ name: String, _ value: some CustomStringConvertible) {
  let line = Array("\(name) \(value)\n".utf8)
  _ = write(1, line, line.count)
}

/// Ends the program with status 1, saying why.
func fail(_ reason: String) -> Never {
  tell("failure", reason)
  exit(1)
}

/// Waits on this thread until `condition` holds; the deadline only ends a program that would fail anyway.
func wait(for what: String, _ condition: () -> Bool) {
  let deadline = ContinuousClock.now + .seconds(60)
  while !condition() {
    if ContinuousClock.now > deadline { fail("waited in vain for \(what)") }
    usleep(500)
  }
}
