import Foundation
import SignalBox

/// Devices as they really talk: two Zigbee2MQTT sensors, and a Tasmota device that tells of this machine.
struct DemoDevices {
  /// `zigbee2mqtt/<name>`: one JSON object with everything.
  struct Climate: Codable, Sendable {
    let battery: Int
    let humidity: Double
    let linkquality: Int
    let temperature: Double
  }

  /// `tele/<name>/STATE`.
  struct TasmotaState: Codable, Sendable {
    let Time: String
    let Uptime: String
    let UptimeSec: Int
    let LoadAvg: Int
    let POWER: String
  }

  /// Publishes until the task is cancelled.
  static func run(_ bus: Bus) async throws {
    let kitchen = try bus.subject(to: "zigbee2mqtt/kitchen", as: Climate.self, retain: true)
    let bath = try bus.subject(to: "zigbee2mqtt/bath", as: Climate.self, retain: true)
    let host = try bus.subject(to: "tele/host/STATE", as: TasmotaState.self)
    var step = 0
    for try await _ in Signal.interval(.milliseconds(600)).values() {
      step += 1
      let wave = step % 10
      func tenths(_ number: Int) -> Double { Double(number) / 10 }
      switch step % 3 {
      case 0:
        kitchen.send(
          Climate(
            battery: 91, humidity: tenths(440 + wave), linkquality: 120, temperature: tenths(205 + wave)))
      case 1:
        bath.send(
          Climate(battery: 78, humidity: tenths(610 - wave), linkquality: 87, temperature: tenths(229 - wave))
        )
      default: host.send(.now)
      }
    }
  }
}

extension DemoDevices.TasmotaState {
  /// This machine's uptime and load, in Tasmota's words.
  static var now: Self {
    let uptime = Int(ProcessInfo.processInfo.systemUptime)
    var load = [0.0]
    getloadavg(&load, 1)
    let clock = [uptime / 3600 % 24, uptime / 60 % 60, uptime % 60].map { $0 < 10 ? "0\($0)" : "\($0)" }
    return Self(
      Time: Date().formatted(.iso8601.year().month().day().time(includingFractionalSeconds: false)),
      Uptime: "\(uptime / 86_400)T\(clock.joined(separator: ":"))", UptimeSec: uptime,
      LoadAvg: Int(load[0] * 100), POWER: "ON")
  }
}
