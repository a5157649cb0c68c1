import Testing

/// What a process wrote before it trapped.
func complaint(of result: ExitTest.Result?) -> String {
  String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
}
