// `Signal` and `Backoff` are in the API of a connection: who imports this module has them.
@_exported public import Signals
