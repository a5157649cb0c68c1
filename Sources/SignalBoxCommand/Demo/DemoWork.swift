import Foundation

/// Real work of a few seconds: compressing large files that every machine with a Swift toolchain has.
struct DemoWork {
  private(set) var files: [(path: String, size: Int)]

  /// Chooses files of the toolchain, else of the system, up to about 200 MB.
  init() {
    var chosen: [(path: String, size: Int)] = []
    var total = 0
    for folder in Self.folders where total < Self.enough {
      for file in Self.files(in: folder) where total + file.size <= Self.enough + (1 << 20) {
        chosen.append(file)
        total += file.size
      }
    }
    // This program is a large file that is always there.
    let own = URL(fileURLWithPath: DemoCommand.executable)
    let ownSize = try? own.resourceValues(forKeys: [.fileSizeKey]).fileSize
    files = chosen.isEmpty ? [(own.path, ownSize ?? 0)] : chosen
  }

  private static let enough = 200 << 20

  var bytes: Int { files.reduce(0) { $0 + $1.size } }

  /// A command that compresses the files one by one and says how far it is, as ninja does.
  var command: [String] {
    let script = """
      n=0; for file do n=$((n + 1)); size=$(gzip -1 -c "$file" | wc -c); [ $((size)) -gt 0 ] || exit 1
      echo "[$n/$#] ${file##*/}: $((size)) bytes"; done
      """
    return ["sh", "-c", script, "sh"] + files.map(\.path)
  }

  /// Leaves as many files as this machine compresses in about `time`, at least one, going by the first 10 MB:
  /// on a busy machine a shorter piece of work gets more than its share.
  mutating func fit(in time: Duration) async throws {
    var sample = self
    sample.leave(10 << 20)
    let clock = ContinuousClock()
    let start = clock.now
    let program = try DemoProgram(sample.command)
    for await _ in program.lines {}
    try Task.checkCancellation()
    leave(Int(min(Double(sample.bytes) * (time / (clock.now - start)), 1e12)))
  }

  private mutating func leave(_ bytes: Int) {
    var total = 0
    let fitting = files.prefix {
      total += $0.size
      return total <= bytes
    }
    files = Array(files.prefix(max(1, fitting.count)))
  }

  private static var folders: [URL] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let swift = path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/swift") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    let toolchain = swift?.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    let own = [toolchain?.appendingPathComponent("lib"), toolchain?.appendingPathComponent("bin")].compactMap(
      \.self)
    return own + [URL(fileURLWithPath: "/usr/lib"), URL(fileURLWithPath: "/usr/share")]
  }

  /// Regular files of 1 to 20 MB, always the same ones.
  private static func files(in folder: URL) -> [(path: String, size: Int)] {
    let keys: [URLResourceKey] = [.isRegularFileKey, .isReadableKey, .fileSizeKey]
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: keys) ?? .init()
    return found.prefix(20_000).compactMap { entry -> (String, Int)? in
      guard let url = entry as? URL, let values = try? url.resourceValues(forKeys: Set(keys)),
        values.isRegularFile == true, values.isReadable == true, let size = values.fileSize,
        (1 << 20...20 << 20).contains(size)
      else { return nil }
      return (url.path, size)
    }.sorted { $0.path < $1.path }
  }
}
