import Brokers
import Foundation
import MQTT

/// What differs by broker and is no fault: written down, not asserted.
///
/// One JSON object a line, in the file that `SIGNALBOX_INTEROP_FACTS` names.
enum InteropFacts {
  private struct Fact: Encodable {
    var version: String
    var fact: String
    var value: String
  }

  private static let file: Guarded<FileHandle>? = {
    guard let path = ProcessInfo.processInfo.environment["SIGNALBOX_INTEROP_FACTS"] else { return nil }
    if !FileManager.default.fileExists(atPath: path) {
      _ = FileManager.default.createFile(atPath: path, contents: nil)
    }
    return FileHandle(forWritingAtPath: path).map { Guarded($0) }
  }()

  static func record(_ fact: String, _ value: String, _ version: ProtocolVersion) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let line = try? encoder.encode(Fact(version: version.description, fact: fact, value: value)) else {
      return
    }
    file?.withLock { file in
      _ = try? file.seekToEnd()
      try? file.write(contentsOf: line + Data("\n".utf8))
    }
  }
}

extension PublishResult {
  /// For a table of facts.
  var fact: String {
    switch self {
    case .acknowledged(.success): "acknowledged"
    case .acknowledged(let code): "acknowledged: \(code)"
    case .refused(let code): "refused: \(code)"
    default: "\(self)"
    }
  }
}
