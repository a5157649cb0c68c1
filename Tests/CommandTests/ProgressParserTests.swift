import Testing
@testable import SignalBoxCommand
