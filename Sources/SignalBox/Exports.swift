// One import is enough for a program that uses the bridge.
@_exported public import MQTT
@_exported public import Signals
