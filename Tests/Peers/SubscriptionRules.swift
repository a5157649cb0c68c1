import Foundation

/// Rules that make a broker refuse a SUBSCRIBE: an access control file alone never does, so mosquitto's own plugin for
/// dynamic security has to.
public final class SubscriptionRules: Sendable {
  private let path: String

  /// Rules under which only `filter` can be subscribed to.
  public init(allowing filter: String) throws {
    path =
      FileManager.default.temporaryDirectory.appendingPathComponent("rules-\(UUID().uuidString).json").path
    let json = """
      {"defaultACLAccess": {"publishClientSend": true, "publishClientReceive": true, "subscribe": false,
        "unsubscribe": true}, "clients": [], "groups": [{"groupname": "all", "roles": [{"rolename": "open"}]}],
        "roles": [{"rolename": "open", "acls": [
          {"acltype": "subscribePattern", "topic": "\(filter)", "priority": 0, "allow": true}]}],
        "anonymousGroup": "all"}
      """
    try json.write(toFile: path, atomically: true, encoding: .utf8)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Lines for the broker's configuration.
  public var configuration: [String] {
    get throws {
      let folders = [
        "/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib", "/usr/local/lib",
        "/opt/homebrew/lib",
      ]
      let names = folders.flatMap {
        ["\($0)/mosquitto_dynamic_security.so", "\($0)/mosquitto_dynamic_security.dylib"]
      }
      guard let plugin = names.first(where: FileManager.default.fileExists(atPath:)) else {
        throw PeerFailure(program: "mosquitto_dynamic_security", arguments: folders)
      }
      return ["plugin \(plugin)", "plugin_opt_config_file \(path)"]
    }
  }
}
