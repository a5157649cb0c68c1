// swift-tools-version: 6.1
import PackageDescription

/// `-Xswiftc -DTSAN` belongs to `--sanitize thread`: see `Sources/Signals/Concurrency/Lock.swift`.
let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "SignalBox",
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Signals", targets: ["Signals"]),
    .library(name: "SignalsTesting", targets: ["SignalsTesting"]),
    .library(name: "MQTT", targets: ["MQTT"]),
    .library(name: "SignalBox", targets: ["SignalBox"]),
    .library(name: "Brokers", targets: ["Brokers"]),
    .executable(name: "signalbox", targets: ["SignalBoxCommand"]),
  ],
  targets: [
    .target(name: "Signals", swiftSettings: swiftSettings),
    .target(name: "SignalsTesting", dependencies: ["Signals"], swiftSettings: swiftSettings),
    .systemLibrary(
      name: "CMosquitto",
      pkgConfig: "libmosquitto",
      providers: [.apt(["libmosquitto-dev"]), .brew(["mosquitto"])]
    ),
    .target(name: "MQTT", dependencies: ["Signals", "CMosquitto"], swiftSettings: swiftSettings),
    .target(name: "SignalBox", dependencies: ["Signals", "MQTT"], swiftSettings: swiftSettings),
    .target(name: "Brokers", swiftSettings: swiftSettings),
    .target(name: "CCommand"),
    .executableTarget(
      name: "SignalBoxCommand",
      dependencies: ["SignalBox", "Brokers", "CCommand"],
      swiftSettings: swiftSettings
    ),

    // What several test targets use of mosquitto's own programs.
    .target(name: "Peers", dependencies: ["Brokers"], path: "Tests/Peers", swiftSettings: swiftSettings),
    .testTarget(
      name: "SignalsTests", dependencies: ["Signals", "SignalsTesting"],
      swiftSettings: swiftSettings),
    // One connection in a process of its own, to be looked at, halted and killed.
    .target(name: "CProbe", path: "Tests/CProbe"),
    .executableTarget(
      name: "ConnectionProbe", dependencies: ["MQTT", "Signals", "Brokers", "CProbe", "Fuzzing"],
      path: "Tests/ConnectionProbe", swiftSettings: swiftSettings),
    // Random numbers with a seed, and packets that are damaged by them.
    .target(name: "Fuzzing", dependencies: ["Brokers"], path: "Tests/Fuzzing", swiftSettings: swiftSettings),
    .testTarget(
      name: "MQTTTests", dependencies: ["MQTT", "Brokers", "Peers", "Fuzzing", "ConnectionProbe"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "SignalBoxTests", dependencies: ["SignalBox", "Brokers", "Peers", "SignalsTesting", "Fuzzing"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "BrokersTests", dependencies: ["Brokers", "Peers", "Fuzzing"], swiftSettings: swiftSettings),
    // The README's first program, and a test that it is this one.
    .executableTarget(
      name: "FirstProgram", dependencies: ["SignalBox"], path: "Tests/FirstProgram",
      swiftSettings: swiftSettings),
    .testTarget(
      name: "ReadmeTests", dependencies: ["FirstProgram", "SignalBox", "Brokers", "Peers"],
      swiftSettings: swiftSettings),
    .testTarget(
      name: "CommandTests", dependencies: ["SignalBoxCommand", "Brokers", "Peers", "Fuzzing"],
      swiftSettings: swiftSettings),
  ],
  swiftLanguageModes: [.v6]
)
