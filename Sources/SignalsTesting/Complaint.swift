/// Stops a test that can't be right: one where `isRight` does not hold.
///
/// Not a precondition, which says nothing in an optimised build: whoever reads the failed test wants to know.
func complain(unless isRight: Bool, _ problem: @autoclosure () -> String) {
  if !isRight { fatalError(problem()) }
}
