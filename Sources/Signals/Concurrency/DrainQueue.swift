/// The rule of the drain loop: of all that come, one at a time has the turn, and the others leave what they brought
/// for it.
///
/// Who gets an item from `enter` handles it, and then what `next` gives, until that is `nil`. So every item is handled
/// once and in the order of entering, nobody waits for a foreign handler, and an item that comes from inside a handler
/// waits for that handler to return. What the one with the turn touches needs no other guard.
package struct DrainQueue<Item: Sendable>: ~Copyable, Sendable {
  private let turn = Turn()
  private let waiting = WaitingItems<Item>()

  package init() {}

  /// The item to handle, with the turn; `nil`: somebody else has the turn, and will handle this item too.
  package func enter(_ item: Item) -> Item? { turn.tryEnter() ? item : waiting.add(item, turn) }

  /// The next item for the one who has the turn; `nil` gave the turn back.
  package func next() -> Item? { waiting.next(turn) }
}
