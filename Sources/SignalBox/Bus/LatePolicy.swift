/// What an observer gets of what was published before it came.
public enum LatePolicy: Sendable, Hashable {
  /// The retained message of each matching topic. In MQTT 3.1.1, where the broker does not tell which live messages it
  /// retains, the newest one of each topic that has come.
  case retained
  /// The newest message of each topic, retained or not. It is remembered from the first observer on that asks for it:
  /// who comes before that has been, gets what is retained.
  case latest
  /// Nothing: only what is published from now on.
  case none
}
