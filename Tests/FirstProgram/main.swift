import SignalBox

let bus = try Bus(CommandLine.arguments.dropFirst().first ?? "mqtt://localhost")

// A topic filter is a signal: the broker has the subscription only while somebody listens.
let temperatures = bus.signal("home/+/temperature", as: Double.self)

// A job has values, progress and an end, each a kind of message of its own.
let job = try bus.job("jobs/average", of: Double.self, title: "average of three")
var sum = 0.0
var count = 0.0
for try await celsius in temperatures.values() {
  sum += celsius
  count += 1
  job.report(done: count, of: 3, unit: "readings")
  if count == 3 { break }  // Leaving the loop ends the subscription.
}
try job.publish(sum / count)
job.complete()
await bus.close()
