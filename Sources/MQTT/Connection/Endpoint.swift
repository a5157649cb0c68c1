/// Where a broker listens.
public enum Endpoint: Sendable, Hashable, CustomStringConvertible {
  /// A host name or numeric address, and a port from 1 to 65,535.
  case tcp(host: String, port: Int)
  /// The path of a Unix domain socket.
  case unix(path: String)

  /// "host:port", "[address]:port" or the path.
  public var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }
}
