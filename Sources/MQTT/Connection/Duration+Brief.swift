extension Duration {
  /// For people: `2.0 s`, `8.4 ms`, `34 µs`.
  package var brief: String {
    switch self {
    case .milliseconds(100)..<(.seconds(1)): "\(Int(self / .milliseconds(1))) ms"
    case .milliseconds(1)..<(.milliseconds(100)): "\(tenths(of: .milliseconds(1))) ms"
    case .zero..<(.milliseconds(1)): "\(Int((self / .microseconds(1)).rounded())) µs"
    default: "\(tenths(of: .seconds(1))) s"
    }
  }

  private func tenths(of unit: Duration) -> Double { (self / unit * 10).rounded() / 10 }
}
