/**
 * 50 servers that fail at random under full load: `npm run soak [-- --seconds 180 --servers 50 --seed 1]`.
 *
 * Half are processes over stdio; the other half are servers of their own in one HTTP process, a part of them spoken to over legacy
 * SSE. Callers never pause; the HTTP process is killed now and then. Each call carries a number that its answer must repeat, and
 * the servers' journals tell what really ran. Leaves with 1 on a wrong answer, a double run, a call without its end, a rejection
 * that nobody handles, a heap that grows, or anything left over.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { parseArgs } from "node:util"
import { CallError } from "../../dist/index.js"
import { createMCPClient } from "../../dist/from_mcp.js"
import { holdsWithin, httpFaultServer, isRunning, stdioFaultServer } from "../fixtures/servers/fault_servers.mjs"
import { Ledger } from "./ledger.mjs"
import { liveHeap, megabytes, openDescriptors } from "./measure.mjs"
import { httpFaults, stdioFaults } from "./random_faults.mjs"

const { values } = parseArgs({
  options: { seconds: { type: "string", default: "180" }, servers: { type: "string", default: "50" }, seed: { type: "string", default: String(Date.now() % 1_000_000) } },
})
const seconds = Number(values.seconds)
const count = Number(values.servers)
const CALLERS = 8
const HEAP_GROWTH = 20_000_000
const CALL_MS = 3_000
const LATE_MS = 250
/** What comes soon where all is well, and is waited for as long as a busy machine may need. */
const SOON_MS = 30_000
const KILL_EVERY_MS = 15_000
/** Stopping the process that all HTTP servers share is one fault more for each of them. */
const WARM_UP = Math.min(20, seconds / 3)

const folder = mkdtempSync(join(tmpdir(), "mcp-operations-soak-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const wrong = []
const report = (text) => {
  if (wrong.push(text) <= 20) console.log(`- ${text}`)
}
process.on("unhandledRejection", (error) => report(`unhandled rejection: ${error?.stack ?? error}`))
process.on("warning", ({ message }) => report(`Node warns: ${message}`))

console.log(`${count} servers, ${seconds} s, seed ${values.seed}`)
const script = { delayMs: [0, 5] }
const http = await httpFaultServer(folder, { ...script, random: { seed: values.seed, ...httpFaults } })
const servers = await Promise.all(Array.from({ length: count }, (_, index) => open(index)))

/** Connects one server. The wait between attempts is short: what is looked at here is many faults, not patience. */
async function open(index) {
  const name = `s${index}`
  const overStdio = index % 2 === 0
  const stdio = overStdio ? stdioFaultServer(folder, { ...script, ignoreSigterm: index % 8 === 0, random: { seed: `${values.seed} ${index}`, ...stdioFaults } }) : undefined
  const wire = index % 6 === 1 ? "sse" : "http"
  // A third of those over Streamable HTTP have a session for each of two callers.
  const own = index % 6 === 3 ? { sessionFor: ({ identity }) => identity?.id ?? "host" } : undefined
  const config = stdio?.config ?? { url: http.url(wire, name), transport: wire, ...own }
  const options = { reconnect: { attempts: 10, firstDelayMs: 50, maxDelayMs: 1_000 }, breaker: { probeAfterMs: 500 }, maxResultBytes: 100_000 }
  const wrapper = await createMCPClient(name, config, options)
  return { name, wrapper, hasCallers: own !== undefined, ledger: new Ledger(), journal: () => (stdio === undefined ? http.journal(name) : stdio.journal()) }
}

let isPaused = false
let isOver = false
let inFlight = 0
let calls = 0
let latest = 0
const ends = new Map()

async function caller(server) {
  while (!isOver) {
    if (isPaused) {
      await new Promise((resolve) => setTimeout(resolve, 20))
      continue
    }
    inFlight++
    await call(server)
    inFlight--
  }
}

async function call({ name, wrapper, ledger, hasCallers }) {
  const n = ledger.next()
  const identity = hasCallers ? { id: n % 2 === 0 ? "ann" : "bob", scopes: [] } : undefined
  const since = performance.now()
  let end
  try {
    const { data } = await wrapper.getTool("t").handler({ n }, { timeoutMs: CALL_MS, identity })
    if (data?.n !== n) report(`${name}: call ${n} was answered with ${JSON.stringify(data)?.slice(0, 200)}`)
    end = "ok"
  } catch (error) {
    if (error instanceof CallError) end = `${error.code} ${error.details.outcome}`
    else {
      end = "no CallError"
      report(`${name}: call ${n} rejected with ${error?.stack ?? error}`)
    }
    // What is refused at once is not asked for again at once.
    if (performance.now() - since < 5) await new Promise((resolve) => setTimeout(resolve, 20))
  }
  const ms = performance.now() - since
  if (ms > CALL_MS) latest = Math.max(latest, ms - CALL_MS)
  ledger.ended(n, end)
  calls++
  ends.set(end, (ends.get(end) ?? 0) + 1)
}

/** Lets the calls under way end, so that what is measured is what stays. */
async function quiet() {
  isPaused = true
  if (!(await holdsWithin(SOON_MS, () => inFlight === 0))) report(`${inFlight} calls did not end`)
  const heap = await liveHeap()
  isPaused = false
  return heap
}

// On a machine that is busy with other things this process gets its turn late, and so do its calls.
const turns = monitorEventLoopDelay()
turns.enable()
const killing = setInterval(() => http.crash(), KILL_EVERY_MS)
const running = servers.flatMap((server) => Array.from({ length: CALLERS }, () => caller(server)))
await new Promise((resolve) => setTimeout(resolve, WARM_UP * 1_000))
const before = await quiet()
const began = performance.now()
const callsBefore = calls
await new Promise((resolve) => setTimeout(resolve, (seconds - WARM_UP) * 1_000))
const rate = (calls - callsBefore) / ((performance.now() - began) / 1_000)
clearInterval(killing)
const after = await quiet()
turns.disable()
const stall = turns.max / 1_000_000
isOver = true
await Promise.all(running)

// Every server can still be used, each by the client that has seen all its faults.
let usable = 0
for (const { name, wrapper, ledger } of servers) {
  let last
  const isUsable = await holdsWithin(2 * SOON_MS, async () => {
    const n = ledger.next()
    try {
      const { data } = await wrapper.getTool("t").handler({ n }, { timeoutMs: CALL_MS })
      ledger.ended(n, "ok")
      return data.n === n
    } catch (error) {
      ledger.ended(n, `${error.code} ${error.details?.outcome}`)
      last = error
      return false
    }
  })
  if (isUsable) usable++
  else report(`${name} cannot be used any more (${wrapper.status}): ${last?.message}`)
}
await Promise.all(servers.map(({ wrapper }) => wrapper.close()))

let doubles = 0
let faults = 0
const pids = []
for (const { name, ledger, journal } of servers) {
  const said = journal()
  doubles += said.doubles.length
  faults += said.hits.size
  pids.push(...said.pids)
  if (said.doubles.length > 0) report(`${name}: calls ran twice: ${said.doubles.slice(0, 5).join()}`)
  for (const text of ledger.compare(said)) report(`${name}: ${text}`)
}
if (!(await holdsWithin(SOON_MS, () => !pids.some(isRunning)))) report(`${pids.filter(isRunning).length} processes are left`)
if (!(await holdsWithin(SOON_MS, async () => (await http.control())?.streams === 0))) report("streams are left open at the server")
await http.stop()
if (after - before > HEAP_GROWTH) report(`the heap grew by ${megabytes(after - before)}, more than ${megabytes(HEAP_GROWTH)}`)
if (latest > LATE_MS + stall) report(`a call ended ${latest.toFixed(0)} ms after its deadline, and this process was never kept waiting for more than ${stall.toFixed(0)} ms`)

console.log(
  [
    `calls ${calls} (${rate.toFixed(0)}/s), faults ${faults}, process starts ${pids.length + http.restarts()}`,
    `ends: ${[...ends].sort(([, a], [, b]) => b - a).map(([end, times]) => `${times} ${end}`).join(", ")}`,
    `latest end ${latest.toFixed(0)} ms after its deadline; longest wait of this process for its turn ${stall.toFixed(0)} ms`,
    `heap after warm-up ${megabytes(before)}, at the end ${megabytes(after)}; descriptors ${openDescriptors()}`,
    `servers still usable ${usable} of ${count}; double runs ${doubles}; violations ${wrong.length}`,
  ].join("\n"),
)
process.exitCode = wrong.length === 0 && calls > 0 && faults > 0 ? 0 : 1
