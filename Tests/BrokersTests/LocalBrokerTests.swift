import Brokers
import Foundation
import Peers
import Testing

@Suite(.timeLimit(.minutes(5)))
struct LocalBrokerTests {
  @Test("A new broker serves at the port and the url it names")
  func serves() async throws {
    try await LocalBroker.with { broker in
      #expect(broker.url == "mqtt://127.0.0.1:\(broker.port)")
      try await #expect(publish(broker, ["-t", "a/b", "-m", "hello"]) == 0)
      let line = try await broker.waitForLog("Received PUBLISH")
      #expect(line.contains("a/b"))
    }
  }

  @Test("Nobody outside of this machine can reach the broker")
  func listensOnLoopbackOnly() async throws {
    try await LocalBroker.with { broker in
      let sockets = broker.log.filter { $0.contains("listen socket") }
      #expect(sockets == ["Opening ipv4 listen socket on port \(broker.port)."])
      try #expect(configuration(of: broker).contains("listener \(broker.port) 127.0.0.1"))
    }
  }

  @Test("A stopped broker leaves no process and no folder, but its log can still be read")
  func stopLeavesNothing() async throws {
    let broker = try await LocalBroker.start()
    let pid = try #require(await broker.pid)
    await broker.stop()
    #expect(!exists(pid))
    #expect(!FileManager.default.fileExists(atPath: broker.folder))
    #expect(await broker.pid == nil)
    #expect(broker.log.contains { $0.contains("terminating") })
    await #expect(throws: LocalBrokerError.stopped) { try await broker.restart() }
    await broker.stop()
  }

  @Test("A broker that nobody refers to any more goes away by itself")
  func droppedBrokerEnds() async throws {
    var broker: LocalBroker? = try await LocalBroker.start()
    let pid = try #require(await broker?.pid)
    let folder = try #require(broker?.folder)
    broker = nil
    try await eventually { !exists(pid) && !FileManager.default.fileExists(atPath: folder) }
  }

  @Test("A body that throws stops the broker too")
  func throwingBodyStops() async throws {
    var folder = ""
    await #expect(throws: CancellationError.self) {
      try await LocalBroker.with { broker in
        folder = broker.folder
        throw CancellationError()
      }
    }
    #expect(!folder.isEmpty && !FileManager.default.fileExists(atPath: folder))
  }

  @Test("A suspended broker can be stopped, and is not left behind")
  func stopsWhileSuspended() async throws {
    let broker = try await LocalBroker.start()
    let pid = try #require(await broker.pid)
    await broker.suspend()
    await broker.stop()
    #expect(!exists(pid))
  }

  @Test("A suspended broker answers nobody until it is resumed")
  func suspendAndResume() async throws {
    try await LocalBroker.with { broker in
      await broker.suspend()
      let publisher = try start("mosquitto_pub", arguments(broker, ["-t", "late", "-m", "1"]))
      try await Task.sleep(for: .milliseconds(300))
      #expect(publisher.isRunning)
      await broker.resume()
      #expect(try await status(of: publisher) == 0)
    }
  }

  @Test("After a power cut the same port serves again, with the log of both lives")
  func killAndRestart() async throws {
    try await LocalBroker.with { broker in
      let first = try #require(await broker.pid)
      await broker.kill()
      #expect(await broker.pid == nil)
      try await #expect(publish(broker, ["-t", "t", "-m", "1"]) != 0)
      try await broker.restart()
      #expect(try #require(await broker.pid) != first)
      try await #expect(publish(broker, ["-t", "t", "-m", "1"]) == 0)
      try await broker.waitForLog("running", count: 2)
    }
  }

  @Test("A terminated broker stores its data, and has it again after a restart")
  func terminateAndRestart() async throws {
    try await LocalBroker.with(.init(storage: .temporary)) { broker in
      try await #expect(publish(broker, ["-r", "-t", "kept", "-m", "stored"]) == 0)
      await broker.terminate()
      #expect(await broker.pid == nil)
      try await broker.restart()
      try await #expect(receive(broker, ["-t", "kept"]) == "stored\n")
    }
  }

  @Test("Retained messages outlive a restart, when the broker was told to keep them")
  func storageOutlivesRestart() async throws {
    try await LocalBroker.with(.init(storage: .temporary)) { broker in
      try await #expect(publish(broker, ["-r", "-t", "kept", "-m", "still here"]) == 0)
      try await broker.restart()
      try await #expect(receive(broker, ["-t", "kept"]) == "still here\n")
    }
  }

  @Test("Retained messages in a named folder outlive the broker")
  func storageOutlivesBroker() async throws {
    let folder = temporaryPath()
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await LocalBroker.with(.init(storage: .folder(folder))) { broker in
      try await #expect(publish(broker, ["-r", "-t", "kept", "-m", "for good"]) == 0)
    }
    try await LocalBroker.with(.init(storage: .folder(folder))) { broker in
      try await #expect(receive(broker, ["-t", "kept"]) == "for good\n")
    }
  }

  @Test("Only the right password opens a broker with users, and it stands nowhere in clear")
  func users() async throws {
    try await LocalBroker.with(.init(users: ["alice": "s3cret"])) { broker in
      try await #expect(publish(broker, ["-t", "t", "-m", "1"]) != 0)
      try await #expect(publish(broker, ["-t", "t", "-m", "1", "-u", "alice", "-P", "wrong"]) != 0)
      try await #expect(publish(broker, ["-t", "t", "-m", "1", "-u", "alice", "-P", "s3cret"]) == 0)
      let passwords = try String(contentsOfFile: "\(broker.folder)/passwords", encoding: .utf8)
      #expect(passwords.hasPrefix("alice:$") && !passwords.contains("s3cret"))
    }
  }

  @Test("Access rules decide who may write where")
  func accessRules() async throws {
    let rules = ["topic read #", "topic write open/#"]
    try await LocalBroker.with(.init(accessRules: rules)) { broker in
      try await #expect(publish(broker, ["-V", "5", "-q", "1", "-t", "shut", "-m", "1"]) == 0)
      try await broker.waitForLog("Denied PUBLISH")
      let mark = broker.log.count
      try await #expect(publish(broker, ["-V", "5", "-q", "1", "-t", "open/a", "-m", "1"]) == 0)
      try await broker.waitForLog("Sending PUBACK", after: mark)
      #expect(!broker.log.dropFirst(mark).contains { $0.contains("Denied") })
    }
  }

  @Test("A second broker at the same port says so instead of waiting or sharing")
  func portInUse() async throws {
    try await LocalBroker.with { broker in
      await #expect(throws: LocalBrokerError.portInUse(broker.port)) {
        try await LocalBroker.start(.init(port: broker.port))
      }
      try await #expect(publish(broker, ["-t", "t", "-m", "1"]) == 0)
    }
  }

  @Test("A line that mosquitto refuses is named in the error")
  func refusedConfiguration() async throws {
    let error = await #expect(throws: LocalBrokerError.self) {
      try await LocalBroker.start(.init(configuration: ["no_such_option 1"]))
    }
    #expect("\(try #require(error))".contains("no_such_option"))
  }

  @Test("Waiting for a line that never comes ends, and names the line")
  func notLogged() async throws {
    try await LocalBroker.with { broker in
      _ = await #expect(throws: LocalBrokerError.notLogged(text: "no such line")) {
        try await broker.waitForLog("no such line", within: .milliseconds(50))
      }
    }
  }

  @Test("Many brokers started at the same moment all get a port of their own")
  func manyAtOnce() async throws {
    let ports = try await withThrowingTaskGroup(of: UInt16.self) { group in
      for _ in 0..<12 {
        group.addTask {
          try await LocalBroker.with { broker in
            try await #expect(publish(broker, ["-t", "t", "-m", "1"]) == 0)
            return broker.port
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ports.count == 12)
  }

  private func configuration(of broker: LocalBroker) throws -> String {
    try String(contentsOfFile: "\(broker.folder)/mosquitto.conf", encoding: .utf8)
  }
}
