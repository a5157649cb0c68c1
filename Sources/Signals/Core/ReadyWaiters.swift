/// Who waits for the sources of a funnel to be live, as a value type: it is told what happens to the sources.
///
/// Each waits for those that ran when it asked. Where one of those is stopped, something else may take its place: who
/// waited for it is put aside, and asks again when nothing is about to start.
struct ReadyWaiters: Sendable {
  typealias Action = @Sendable () -> Void

  private var waiting: [Int: (action: Action, sources: Set<ObjectIdentifier>)] = [:]
  private var aside: [Action] = []
  private var lastNumber = 0

  /// Whether somebody has to ask again.
  var hasAside: Bool { !aside.isEmpty }

  /// Gives the number under which `isReady` is to be said for each of the sources, which are some.
  mutating func wait(for sources: [any Disposable], _ action: @escaping Action) -> Int {
    lastNumber += 1
    waiting[lastNumber] = (action, Set(sources.map(ObjectIdentifier.init)))
    return lastNumber
  }

  /// Something is about to start: to be asked again then.
  mutating func putAside(_ action: @escaping Action) { aside.append(action) }

  /// Gives the action of `number`, if that was the last it waited for.
  mutating func isReady(_ source: any Disposable, for number: Int) -> Action? {
    guard waiting[number]?.sources.remove(ObjectIdentifier(source)) != nil else { return nil }
    return waiting[number]?.sources.isEmpty == true ? waiting.removeValue(forKey: number)?.action : nil
  }

  /// A source was stopped, or another took its place.
  mutating func stopped(_ source: any Disposable) {
    guard !waiting.isEmpty else { return }
    let source = ObjectIdentifier(source)
    for (number, waiter) in waiting where waiter.sources.contains(source) {
      aside.append(waiter.action)
      waiting[number] = nil
    }
  }

  /// Those who ask again now.
  mutating func takeAside() -> [Action] {
    defer { aside = [] }
    return aside
  }
}
