/**
 * Opens and closes a stdio server 1,000 times: `npm run churn [-- --times 1000]`.
 *
 * Each time one call is made, two servers at a time, as many as the cores of a small machine. At the end no process is left, and
 * descriptors and heap are where they were after the first tenth. Leaves with 1 otherwise.
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { createMCPClient } from "../../dist/from_mcp.js"
import { holdsWithin, isRunning } from "../fixtures/servers/fault_servers.mjs"
import { liveHeap, megabytes, settledDescriptors } from "./measure.mjs"

const { values } = parseArgs({ options: { times: { type: "string", default: "1000" } } })
const times = Number(values.times)
const AT_ONCE = 2
const HEAP_GROWTH = 2_000_000
const folder = mkdtempSync(join(tmpdir(), "mcp-operations-churn-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const started = join(folder, "pids")
const server = { command: process.execPath, args: [fileURLToPath(new URL("../fixtures/servers/one_file.mjs", import.meta.url)), started] }

const wrong = []
const rejections = []
process.on("unhandledRejection", (error) => rejections.push(error))

async function openAndClose(number) {
  const wrapper = await createMCPClient("server", server)
  const { data } = await wrapper.getTool("echo").handler({ number })
  if (data.number !== number) wrong.push(`call ${number} was answered with ${JSON.stringify(data)}`)
  await wrapper.close()
  if (wrapper.status !== "closed") wrong.push(`client ${number} is ${wrapper.status} after close`)
}

async function run(from, to) {
  let next = from
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      while (next < to) await openAndClose(next++)
    }),
  )
}

const since = performance.now()
const exitListeners = process.listenerCount("exit")
const warmUp = Math.ceil(times / 10)
await run(0, warmUp)
const before = { heap: await liveHeap(), descriptors: await settledDescriptors() }
await run(warmUp, times)
const after = { heap: await liveHeap(), descriptors: await settledDescriptors() }

const known = readFileSync(started, "utf8").trim().split("\n").map(Number)
await holdsWithin(30_000, () => !known.some(isRunning))
const left = known.filter(isRunning)
if (known.length !== times) wrong.push(`${known.length} processes told their id, ${times} were started`)
if (left.length > 0) wrong.push(`${left.length} processes are left: ${left.join()}`)
if (after.descriptors !== before.descriptors) wrong.push(`open descriptors went from ${before.descriptors} to ${after.descriptors}`)
if (after.heap - before.heap > HEAP_GROWTH) wrong.push(`the heap grew by ${megabytes(after.heap - before.heap)}, more than ${megabytes(HEAP_GROWTH)}`)
if (process.listenerCount("exit") !== exitListeners) wrong.push("a listener of exit is left")
for (const error of rejections) wrong.push(`unhandled rejection: ${error?.stack ?? error}`)

console.log(`${times} times in ${((performance.now() - since) / 1_000).toFixed(0)} s; processes left ${left.length}; descriptors ${before.descriptors} -> ${after.descriptors}; heap ${megabytes(before.heap)} -> ${megabytes(after.heap)}`)
for (const text of wrong.slice(0, 20)) console.log(`- ${text}`)
process.exitCode = wrong.length === 0 ? 0 : 1
