import Foundation
import Peers

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Plays a script to one client over TLS: `openssl s_server` stands between, and makes one record of each thing that
/// is sent. Unlike mosquitto, which makes one of each packet, and like brokers that gather them.
final class SecureServer: Sendable {
  let port: Int
  private let client: FakeClient
  private let process: Process

  init(_ pair: Certificates.Pair, script: @escaping @Sendable (FakeClient) -> Void) throws {
    var ends: [Int32] = [-1, -1]
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw FakeServer.Failure() }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    // A port that was free a moment ago.
    port = try FakeServer { (_: FakeClient) in }.port
    process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "openssl", "s_server", "-accept", "127.0.0.1:\(port)", "-naccept", "1", "-quiet",
      "-cert", pair.file, "-key", pair.keyFile,
    ]
    let stream = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
    process.standardInput = stream
    process.standardOutput = stream
    process.standardError = FileHandle.nullDevice
    try process.run()
    try stream.close()
    let client = FakeClient(ends[0], number: 0)
    self.client = client
    Thread.detachNewThread { script(client) }
  }

  deinit {
    client.end()
    process.terminate()
  }
}
