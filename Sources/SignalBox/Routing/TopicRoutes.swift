import MQTT

/// A trie with a memory in front of it: the elements of a topic that came before are not looked up again.
///
/// The memory is bounded, and emptied by every change, so it never holds an element that the trie doesn't.
struct TopicRoutes<Element> {
  private(set) var trie = FilterTrie<Element>()
  private var seen: [SeenTopic: ContiguousArray<Element>] = [:]
  private var weight = 0
  private let maximumTopics: Int
  private let maximumWeight: Int

  /// Remembers at most `maximumTopics`, which with their routes are `maximumWeight` bytes.
  init(maximumTopics: Int = 4_096, maximumWeight: Int = 4 << 20) {
    self.maximumTopics = maximumTopics
    self.maximumWeight = maximumWeight
  }

  /// How many topics it remembers.
  var remembered: Int { seen.count }

  /// The element of a filter; nil removes it.
  subscript(filter: TopicFilter) -> Element? {
    get { trie[filter] }
    set {
      forget()
      trie[filter] = newValue
    }
  }

  /// Each element whose filter matches `topic`, once, in no particular order.
  mutating func routes(of topic: String) -> ContiguousArray<Element> {
    if let routes = seen[SeenTopic(topic)] { return routes }
    var routes: ContiguousArray<Element> = []
    trie.forEachMatch(topic) { routes.append($0) }
    remember(topic, routes)
    return routes
  }

  private mutating func remember(_ topic: String, _ routes: ContiguousArray<Element>) {
    let added = topic.utf8.count + routes.count * MemoryLayout<Element>.stride
    // One that would take the place of all others is not worth it.
    if added > maximumWeight / 16 { return }
    if seen.count == maximumTopics || weight + added > maximumWeight { forget() }
    seen[SeenTopic(topic)] = routes
    weight += added
  }

  private mutating func forget() {
    if seen.isEmpty { return }
    seen.removeAll(keepingCapacity: true)
    weight = 0
  }
}

extension TopicRoutes: Sendable where Element: Sendable {}
