import Foundation
import Testing

/// The article shows what the tests of the devices run.
@Suite struct DevicesArticleTests {
  private static let tests = URL(filePath: #filePath).deletingLastPathComponent()
  private static let article = tests.appending(path: "../../../Sources/SignalBox/SignalBox.docc/Devices.md")
    .standardized

  @Test(arguments: [
    "Tasmota", "Zigbee2MQTT", "Shelly", "ESPHome", "Homie", "OwnTracks", "Frigate", "Sparkplug",
  ])
  func `each device is read in ten lines at most, which are those of its test`(device: String) throws {
    let text = try String(contentsOf: Self.article, encoding: .utf8)
    let section = try #require(text.components(separatedBy: "\n## ").first { $0.hasPrefix(device) })
    let lines = lines(try #require(section.components(separatedBy: "```swift\n").dropFirst().first)).prefix {
      $0 != "```"
    }
    #expect((1...10).contains(lines.count))
    let file = Self.tests.appending(path: "\(device)Tests.swift")
    var rest = self.lines(try String(contentsOf: file, encoding: .utf8))[...]
    for line in lines {
      let index = try #require(rest.firstIndex(of: line), "\(device)Tests.swift has no: \(line)")
      rest = rest[(index + 1)...]
    }
  }

  private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty }
  }
}
