import Dispatch
import Foundation
import Signals
import SignalsTesting
import Testing

@Suite(.timeLimit(.minutes(2))) struct MainActorTests {
  @MainActor final class Screen {
    var log: [String] = []
    let isDone = AsyncGate()

    func show(_ text: String) {
      MainActor.assertIsolated()
      log.append(text)
    }
  }

  @Test func `handlers run on the main actor, in order, whoever sends`() async {
    let source = Subject<Int>()
    let screen = Screen()
    source.signal.observeOnMain {
      screen.show("\($0)")
    } progress: {
      screen.show("\($0)")
    } completed: {
      screen.show("completed")
      screen.isDone.open()
    }
    onThread {
      source.send(1)
      source.send(progress: 0.5)
      source.send(2)
      source.complete()
    }
    await screen.isDone.wait()
    #expect(await screen.log == ["1", "50%", "2", "completed"])
  }

  @Test @MainActor func `after a disposal on the main actor nothing is shown any more`() async {
    let source = Subject<Int>()
    let screen = Screen()
    let subscription = source.signal.observeOnMain(
      { screen.show("\($0)") }, failed: { _ in screen.show("failed") })
    source.send(1)
    source.fail(Broken())
    subscription.dispose()
    // What was scheduled before is through when this is.
    let isThrough = AsyncGate()
    QueueScheduler.main.schedule { isThrough.open() }
    await isThrough.wait()
    #expect(screen.log == [])
  }

  @Test @MainActor func `closures written on the main actor don't trap on other threads`() async {
    let source = Subject<Int>()
    let isDone = AsyncGate()
    let sum = Lock(0)
    // Plain closures, in a context from which the compiler could have inferred the actor.
    source.signal.map { $0 + 1 }.filter { $0 > 0 }.observe(on: .background).debounce(.milliseconds(1))
      .subscribe { value in
        sum.withLock { $0 += value }
        #expect(!Thread.isMainThread)
      } progress: { _ in
      } failed: { _ in
      } completed: {
        isDone.open()
      }
    onThread {
      source.send(1)
      source.complete()
    }
    await isDone.wait()
    #expect(sum.withLock { $0 } == 2)
  }

  @Test(
    .enabled(if: Compiler.isHere),
    arguments: [
      ("_ = signal.map { show($0) }", false), ("signal.subscribe { show($0) }", false),
      ("_ = signal.filter(isShown)", false), ("signal.subscribe(progress: { _ in clear() })", false),
      ("signal.observeOnMain { show($0) } completed: { clear() }", true),
      ("signal.subscribe { print($0) }", true),
    ])
  func `the compiler refuses main-actor code where no thread is promised`(code: String, isFine: Bool) throws {
    let problems = try Compiler.typecheck(
      """
      import Signals
      @MainActor func show(_ value: Int) {}
      @MainActor func clear() {}
      @MainActor func isShown(_ value: Int) -> Bool { true }
      @MainActor func use(_ signal: Signal<Int>) { \(code) }
      """)
    #expect(problems.isEmpty == isFine, "\(problems)")
    // Refused for this reason and no other.
    #expect(isFine || problems.contains { $0.contains("actor") }, "\(problems)")
  }
}

/// The Swift compiler on the module under test.
private enum Compiler {
  /// The folder of the module, beside the test bundle.
  static let modules: URL? = CommandLine.arguments.lazy
    .filter { $0.contains(".xctest") }
    .map { argument in
      let path = argument[..<argument.range(of: ".xctest")!.upperBound]
      return URL(fileURLWithPath: String(path)).deletingLastPathComponent().appending(path: "Modules")
    }
    .first { FileManager.default.fileExists(atPath: $0.appending(path: "Signals.swiftmodule").path) }

  static let swiftc: URL? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").lazy
    .map { URL(fileURLWithPath: String($0)).appending(path: "swiftc") }
    .first { FileManager.default.isExecutableFile(atPath: $0.path) }

  static var isHere: Bool { modules != nil && swiftc != nil }

  /// What the module was built for, where that is not what the compiler takes by itself.
  private static var target: [String] {
    #if canImport(Darwin) && arch(arm64)
      ["-target", "arm64-apple-macosx15.0"]
    #elseif canImport(Darwin)
      ["-target", "x86_64-apple-macosx15.0"]
    #else
      []
    #endif
  }

  /// The errors that the compiler finds in `source`.
  static func typecheck(_ source: String) throws -> [String] {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).swift")
    try Data(source.utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = swiftc
    process.arguments =
      target + ["-typecheck", "-swift-version", "6", "-I", modules?.path ?? "", file.path]
    let output = Pipe()
    process.standardError = output
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text.split(separator: "\n").map(String.init).filter { $0.contains("error:") }
  }
}
