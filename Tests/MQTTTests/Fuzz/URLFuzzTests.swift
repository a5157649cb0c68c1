import Fuzzing
import MQTT
import Testing

struct URLFuzzTests {
  /// In no error, and in no description of options.
  private static let password = "s3cretWord"

  private static let urls = [
    "mqtt://user:\(password)@host:1883", "mqtts://user:\(password)@a,b:1,[::1]:2/path?x=y",
    "user:\(password)@host",
    "tcp://us%65r:\(password)%20x@host", "unix:///tmp/broker", "ssl://:\(password)@[fe80::1]", "mqtt://host",
    "mqtt://user:\(password)/x@host", "user:\(password)@mqtt://host", "mqtt:/user:\(password)@host://",
  ]
  private static let parts = [
    "://", ":", "/", "@", ",", "[", "]", "%", "%2", "%00", "%FF", "?", "#", "mqtt", "unix", "\0", "\n", "é",
    " ",
    "1883", "-1",
    "99999999999999999999", "",
  ]

  @Test(
    "Any text is a URL or an error in one line, and neither it nor the options tell the password",
    arguments: [1, UInt64.random(in: 0...UInt64.max)])
  func noCrashNoSecret(_ seed: UInt64) {
    var dice = Dice(seed: seed)
    var taken = 0
    for _ in 0..<10_000 {
      let url = Self.url(using: &dice)
      do {
        let options = try ConnectionOptions(url: url)
        taken += 1
        // Where else it stands is no secret: that is what the URL says.
        let told = options.endpoints.map(\.description).joined() + (options.user ?? "")
        if !told.contains(Self.password) { #expect(!Self.isTold(options), "seed \(seed): \(url)") }
        if !told.contains(Self.password) { _ = try Connection(options) }
      } catch {
        let text = "\(error)"
        #expect(!text.contains(Self.password), "seed \(seed): \(url)")
        #expect(!text.isEmpty && !text.contains { $0.isNewline }, "seed \(seed): \(url)")
      }
    }
    #expect(taken > 500)
  }

  private static func isTold(_ options: ConnectionOptions) -> Bool {
    var dumped = ""
    dump(options, to: &dumped)
    // A line each, so that the end of one and the beginning of the next are not read as one.
    return "\(options)\n\(String(reflecting: options))\n\(dumped)".contains(password)
  }

  private static func url(using dice: inout Dice) -> String {
    var url = dice.pick(urls)
    for _ in 0...dice.roll(3) {
      let place = url.index(url.startIndex, offsetBy: dice.roll(url.count + 1))
      switch dice.roll(4) {
      case 0: url.insert(contentsOf: dice.pick(parts), at: place)
      case 1 where place < url.endIndex: url.remove(at: place)
      case 2: url = String(url[place...]) + dice.pick(parts)
      default:
        var bytes = Array(url.utf8)
        Mutation.scratch(&bytes, using: &dice)
        url = String(decoding: bytes, as: UTF8.self)
      }
    }
    return url
  }
}
