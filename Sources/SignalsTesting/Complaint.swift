/// Stops a test that can't be right.
///
/// Not a precondition, which says nothing in an optimised build: whoever reads the failed test wants to know.
func complain(unless isRight: Bool = false, _ problem: @autoclosure () -> String) {
  if !isRight { fatalError(problem()) }
}
