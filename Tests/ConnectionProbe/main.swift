// One scenario for a process of its own: what it tells, and what others see of it, are the results of tests.

import Foundation

let settings = Settings(Array(CommandLine.arguments.dropFirst()))
// Whatever becomes of the test that started it.
alarm(UInt32(settings.number("limit", default: 280)))
tell("pid", getpid())
switch settings.scenario {
case "cycles": try Cycles(settings: settings).run()
case "client": try Client(settings).run()
case "burst": try Burst(settings: settings).run()
case "pace": try Pace(settings: settings).run()
case "fuzz": Fuzz(settings: settings).run()
case "descriptors": try ManyDescriptors(settings: settings).run()
default: fail("there is no scenario named \(settings.scenario)")
}
tell("end", settings.scenario)
