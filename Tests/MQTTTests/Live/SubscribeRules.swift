import Foundation

/// Has mosquitto refuse subscriptions: its access control files only rule over messages, so this takes the
/// plugin that comes with it.
struct SubscribeRules {
  let configuration: [String]
  private let file: URL

  /// Where distributions put the plugin.
  static let plugin: String? = {
    let folders = [
      "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib", "/usr/local/lib",
      "/opt/homebrew/lib",
    ]
    return folders.map { "\($0)/mosquitto_dynamic_security.so" }.first {
      FileManager.default.fileExists(atPath: $0)
    }
  }()

  /// Everybody may publish and receive everything, and subscribe to `filter` only.
  init(allowing filter: String) throws {
    let rules = """
      {
        "defaultACLAccess": {
          "publishClientSend": true, "publishClientReceive": true, "subscribe": false, "unsubscribe": true
        },
        "clients": [],
        "groups": [{ "groupname": "all", "roles": [{ "rolename": "open" }] }],
        "roles": [{
          "rolename": "open",
          "acls": [{ "acltype": "subscribePattern", "topic": "\(filter)", "allow": true }]
        }],
        "anonymousGroup": "all"
      }
      """
    file = FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString).json")
    try rules.write(to: file, atomically: true, encoding: .utf8)
    configuration = ["plugin \(Self.plugin ?? "none")", "plugin_opt_config_file \(file.path)"]
  }

  func remove() {
    try? FileManager.default.removeItem(at: file)
  }
}
