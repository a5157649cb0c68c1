/// What one attempt connects to: a numeric address (for TLS, a name) and its port, or a socket's path and port 0.
struct Address: Sendable, Hashable, CustomStringConvertible {
  var host: String
  var port: Int

  var description: String {
    port == 0 ? host : Endpoint.tcp(host: host, port: port).description
  }
}
