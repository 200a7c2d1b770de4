/**
 * `mcp-operations demo`: four calls to the café server of this package, and the four envelopes.
 *
 * In: nothing. Out: for each call one line of explanation and the envelope. Needs nothing installed and reaches nothing: the
 * server is a program of this package, started over stdio like any other.
 */
import type { CommandResult } from "./command_result.js"
import { connected, withServers } from "./connect.js"
import { EXIT } from "./exit_code.js"
import { findOperation } from "./find_operation.js"
import type { Host } from "./host.js"
import { programPath } from "./package_files.js"
import { demoView, type DemoAnswer } from "./view/demo_view.js"

const CALLS: readonly Omit<DemoAnswer, "envelope">[] = [
  {
    explanation: "The answer fits the tool's output schema: data is what the server sent.",
    operation: "cafe.price_order",
    input: { drink: "espresso", cups: 2 },
  },
  {
    explanation: "The tool reports a failure: an answer too, with isError. Only a call without answer throws.",
    operation: "cafe.reserve_table",
    input: { guests: 4, time: "19:00" },
  },
  {
    explanation: "The answer breaks the tool's own output schema: data is mended, and meta says where and how.",
    operation: "cafe.check_stock",
    input: { item: "coffee beans" },
  },
  {
    explanation: "There is no output schema: data is the content blocks, here an image and a resource.",
    operation: "cafe.show_menu",
    input: {},
  },
]

/** Runs the demo. */
export function demo(host: Host): Promise<CommandResult> {
  const server = { command: process.execPath, args: [programPath("cli/demo_server")] }
  return withServers({ cafe: server }, host, async ([outcome], say) => {
    const wrapper = connected(outcome)
    const answers: DemoAnswer[] = []
    for (const call of CALLS) {
      say(`calling ${call.operation}`)
      const envelope = await findOperation(call.operation, wrapper, true).handler(call.input, { signal: host.signal })
      answers.push({ ...call, envelope })
    }
    const { name, version } = wrapper.server
    return {
      document: { server: { name, version }, answers },
      view: (screen) => demoView(`${name} ${version}`, answers, screen),
      exitCode: EXIT.ok,
    }
  })
}
