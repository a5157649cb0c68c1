public import Foundation

/// The path of an executable of this package, which is built beside the test bundle.
public func builtProgram(_ name: String) -> URL {
  #if os(macOS)
    for bundle in Bundle.allBundles where bundle.bundlePath.hasSuffix(".xctest") {
      return bundle.bundleURL.deletingLastPathComponent().appendingPathComponent(name)
    }
  #endif
  return Bundle.main.bundleURL.appendingPathComponent(name)
}
