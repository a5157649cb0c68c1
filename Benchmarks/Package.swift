// swift-tools-version: 6.1
import PackageDescription

/// A package of its own: it sees of SignalBox what a user's package sees, and is compiled like one.
let swiftSettings: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "signalbox-bench", targets: ["Bench"]),
    .executable(name: "signalbox-bench-baseline", targets: ["Baseline"]),
  ],
  dependencies: [.package(name: "SignalBox", path: "..")],
  targets: [
    .target(name: "CAllocations"),
    .target(name: "CThreads"),
    .executableTarget(name: "Baseline", linkerSettings: [.linkedLibrary("mosquitto")]),
    .executableTarget(
      name: "Bench",
      dependencies: [
        "CAllocations", "CThreads", .product(name: "Signals", package: "SignalBox"),
        .product(name: "MQTT", package: "SignalBox"), .product(name: "Brokers", package: "SignalBox"),
        .product(name: "SignalBox", package: "SignalBox"),
      ],
      swiftSettings: swiftSettings
    ),
  ],
  swiftLanguageModes: [.v6]
)
