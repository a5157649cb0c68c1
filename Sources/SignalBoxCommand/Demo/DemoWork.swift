import Foundation

/// Real work of a few seconds: compressing large files that every machine with a Swift toolchain has.
struct DemoWork {
  let files: [String]
  let bytes: Int

  /// Chooses files of the toolchain, else of the system, up to about 200 MB.
  init() {
    var chosen: [String] = []
    var total = 0
    for folder in Self.folders where total < Self.enough {
      for (path, size) in Self.files(in: folder) where total + size <= Self.enough + (1 << 20) {
        chosen.append(path)
        total += size
      }
    }
    files = chosen
    bytes = total
  }

  private static let enough = 200 << 20

  /// A command that compresses the files one by one and says how far it is, as ninja does.
  var command: [String] {
    let script = """
      n=0; for file do n=$((n + 1)); size=$(gzip -1 -c "$file" | wc -c); echo "[$n/$#] ${file##*/}: $((size)) bytes"; done
      """
    return ["sh", "-c", script, "sh"] + files
  }

  private static var folders: [URL] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let swift = path.split(separator: ":").map { URL(fileURLWithPath: "\($0)/swift") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    let toolchain = swift?.resolvingSymlinksInPath().deletingLastPathComponent().deletingLastPathComponent()
    let own = [toolchain?.appendingPathComponent("lib"), toolchain?.appendingPathComponent("bin")].compactMap(\.self)
    return own + [URL(fileURLWithPath: "/usr/lib"), URL(fileURLWithPath: "/usr/share")]
  }

  /// Regular files of 1 to 20 MB, always the same ones.
  private static func files(in folder: URL) -> [(path: String, size: Int)] {
    let keys: [URLResourceKey] = [.isRegularFileKey, .fileSizeKey]
    let found = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: keys) ?? .init()
    return found.prefix(20_000).compactMap { entry -> (String, Int)? in
      guard let url = entry as? URL, let values = try? url.resourceValues(forKeys: Set(keys)),
        values.isRegularFile == true, let size = values.fileSize, (1 << 20...20 << 20).contains(size)
      else { return nil }
      return (url.path, size)
    }.sorted { $0.path < $1.path }
  }
}
