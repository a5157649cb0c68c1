/// What the command line asks for.
struct Options {
  enum Group: String, CaseIterable {
    case core
    case mqtt
    case bus
  }

  var groups = Group.allCases
  var isJSON = false
  var isQuick = false

  struct Unknown: Error, CustomStringConvertible {
    var description: String
  }

  init(_ arguments: some Sequence<String>) throws(Unknown) {
    var named: [Group] = []
    for argument in arguments {
      if argument == "--json" {
        isJSON = true
      } else if argument == "--quick" {
        isQuick = true
      } else if argument.hasPrefix("-") {
        throw Unknown(description: "no option '\(argument)': there are --json and --quick")
      } else if let group = Group(rawValue: argument) {
        named.append(group)
      } else {
        let groups = Group.allCases.map(\.rawValue).joined(separator: ", ")
        throw Unknown(description: "no group '\(argument)': there is \(groups)")
      }
    }
    if !named.isEmpty { groups = named }
  }
}
