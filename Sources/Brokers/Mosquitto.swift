import Foundation

/// The programs of mosquitto on this machine, and the files they read.
package enum Mosquitto {
  /// The path of `program`: in `PATH`, or where packages put what only root has in its `PATH`.
  package static func path(of program: String) throws -> String {
    let searched = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let usual = ["/usr/sbin", "/usr/local/sbin", "/opt/homebrew/sbin", "/usr/bin", "/opt/homebrew/bin"]
    for folder in searched + usual {
      let path = "\(folder)/\(program)"
      if FileManager.default.isExecutableFile(atPath: path) { return path }
    }
    throw LocalBrokerError.notInstalled(program: program)
  }

  /// The text of the configuration file for a broker in `folder` at `port`.
  static func configuration(_ options: LocalBroker.Options, port: UInt16, folder: String) -> String {
    var lines = ["listener \(port) 127.0.0.1"]
    switch options.tls {
    case .certificate(let file, let keyFile, let clientCAFile):
      lines += ["certfile \(file)", "keyfile \(keyFile)"]
      if let clientCAFile { lines += ["cafile \(clientCAFile)", "require_certificate true"] }
    case .preSharedKeys: lines += ["psk_hint signalbox", "psk_file \(folder)/keys"]
    case nil: break
    }
    // Started by root, mosquitto would become the user `mosquitto` and lose its own folder.
    if geteuid() == 0 { lines.append("user root") }
    lines += ["log_dest stderr", "log_type all", "log_timestamp false", "connection_messages true"]
    lines.append("allow_anonymous \(options.allowsAnonymous)")
    if !options.users.isEmpty { lines.append("password_file \(folder)/passwords") }
    if !options.accessRules.isEmpty { lines.append("acl_file \(folder)/access") }
    if let data = dataFolder(options, folder: folder) {
      lines += ["persistence true", "persistence_location \(data)/"]
    }
    return (lines + options.configuration).map { $0 + "\n" }.joined()
  }

  /// Writes what the configuration refers to.
  static func writeFiles(_ options: LocalBroker.Options, folder: String) throws {
    if let data = dataFolder(options, folder: folder) {
      try makeFolder(data)
    }
    if !options.accessRules.isEmpty {
      try write(options.accessRules.map { $0 + "\n" }.joined(), to: "\(folder)/access")
    }
    if case .preSharedKeys(let keys) = options.tls {
      try write(keys.map { "\($0.key):\($0.value)\n" }.joined(), to: "\(folder)/keys")
    }
    guard !options.users.isEmpty else { return }
    // `-U` hashes a file in place: passwords as arguments would be seen by everybody's `ps`.
    let file = "\(folder)/passwords"
    try write(options.users.map { "\($0.key):\($0.value)\n" }.joined(), to: file)
    let hashing = Process()
    hashing.executableURL = URL(fileURLWithPath: try path(of: "mosquitto_passwd"))
    hashing.arguments = ["-U", file]
    hashing.standardOutput = FileHandle.nullDevice
    hashing.standardError = FileHandle.nullDevice
    try hashing.run()
    hashing.waitUntilExit()
    guard hashing.terminationStatus == 0 else {
      throw LocalBrokerError.system("mosquitto_passwd -U failed with \(hashing.terminationStatus)")
    }
  }

  /// Makes a folder with all above it, unless it is there.
  static func makeFolder(_ path: String, permissions: Int = 0o755) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: permissions])
    } catch {
      let cause = (error as? CocoaError)?.underlying as? POSIXError
      let reason = cause.map { String(cString: strerror($0.code.rawValue)) } ?? "the system refuses it"
      throw LocalBrokerError.system("\(path) can't be made a folder: \(reason)")
    }
  }

  /// Writes `text` to a new file that only its owner can read.
  static func write(_ text: String, to path: String) throws {
    let isWritten = FileManager.default.createFile(
      atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    guard isWritten else { throw LocalBrokerError.system("\(path) can't be written") }
  }

  private static func dataFolder(_ options: LocalBroker.Options, folder: String) -> String? {
    switch options.storage {
    case .memory: nil
    case .temporary: "\(folder)/data"
    case .folder(let path): URL(fileURLWithPath: path).path
    }
  }
}
