import Testing

@Suite struct DeclaredOperatorsTests {
  @Test(arguments: [
    (
      "extension Signal { public func map<Output>(_ f: (Value) -> Output) -> Signal<Output> {} }", ["map(_:)"]
    ),
    (
      """
      extension Signal where Value: Equatable {
        /// public func no() -> Signal<Value>
        @discardableResult @available(macOS 15, *)
        @inlinable public
        func take<A, B: C<A>>(
          while isIncluded: @escaping (Value, [A: B]) -> Bool = { $0 < $1 },
          inclusive: Bool = false, _ b: Dictionary<A, B>, at time: Int = f(1, 2)
        ) throws -> Signal<Value> where A: B { "}" }
      }
      """, ["take(while:inclusive:_:at:)"]
    ),
    (
      "extension Signal { public static func just(_ v: Value...) -> Self { }; public var x: Int { 1 } }",
      ["Signal.just(_:)"]
    ),
    (
      "extension Signal { public static var empty: Signal<Value> { .init() }\n static public func `catch`() -> Signal {} }",
      ["Signal.empty", "Signal.catch()"]
    ),
    ("extension Signal { func a() -> Signal<Value> {} ; package func b() -> Signal<Value> {} }", []),
    (
      "public extension Signal { func a() -> Signal<Value> {} ; private func b() -> Signal<Value> {} }",
      ["a()"]
    ),
    ("extension Subject { public func a() -> Signal<Value> {} }", []),
    (
      "public struct Signal<Value> { public init() {} @discardableResult public func subscribe(_ o: O) -> Subscription {} }",
      ["subscribe(_:)"]
    ),
    ("extension Signal { struct A { public func a() -> Signal<Value> {} } }", []),
    ("extension Signal { public func first(on s: any S) async throws -> Value {} }", ["first(on:)"]),
    ("extension Signal { public func first(on s: any S) async throws(E) -> Value {} }", ["first(on:)"]),
    ("extension Signal { public func events() -> SignalEvents<Value> {} }", ["events()"]),
    ("extension Signal { public func stream() -> some AsyncSequence<Value, any Error> {} }", ["stream()"]),
    ("extension Signal { public func count() -> Int {} ; public func go() {} }", []),
    (
      #"extension Signal { public func a(_ b: Int) -> Signal { f("\(g("{"))") } /* } */ public func b() -> Signal {} }"#,
      ["a(_:)", "b()"]
    ),
    (
      "extension Signal { public func z<each O>(with o: repeat Signal<each O>) -> Signal<(V, repeat each O)> {} }",
      ["z(with:)"]
    ),
  ])
  func `an operator is found by its name and labels, and nothing else is`(source: String, names: [String]) {
    #expect(DeclaredOperators(source).names == Set(names))
  }

  @Test func `several declarations of one block are found, and of several blocks`() {
    let source = """
      extension Signal {
        public func a() -> Signal<Value> { if x < y { return b() } else { return c } }
        public func b(by same: (Int) -> Bool) -> Signal<Value> { self }
      }
      private final class O<A: B>: C<A> { func x() -> Signal<Int> {} }
      extension Signal where Value == Int { public static func c(_ d: Duration, on s: any S = .main) -> Signal<Int> {} }
      """
    #expect(DeclaredOperators(source).names == ["a()", "b(by:)", "Signal.c(_:on:)"])
  }
}
