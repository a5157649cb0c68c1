import Dispatch

/// Whether the caller runs on the main queue, where the main actor runs.
func isMainQueue() -> Bool { DispatchQueue.getSpecific(key: mainKey) == true }

private let mainKey: DispatchSpecificKey<Bool> = {
  let key = DispatchSpecificKey<Bool>()
  DispatchQueue.main.setSpecific(key: key, value: true)
  return key
}()
