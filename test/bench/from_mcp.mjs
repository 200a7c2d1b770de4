/**
 * What this library adds to the official SDK: CPU of connect and list, time per call, time to import.
 *
 * "Raw" is the SDK's Client over its StdioClientTransport, with `client.request` and a schema that passes everything. Both talk to
 * a server process of the same fixture of 1,000 tools with output schemas. Rounds are interleaved and begin with either side in
 * turn; printed are the median of the per-round ratios and its 95 % interval. A run whose raw rounds differ by more than 1.5 x is
 * void, because the machine was not quiet.
 */
import { existsSync } from "node:fs"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { createMCPClient } from "../../dist/from_mcp.js"
import { interval, median } from "./statistics.mjs"

const ROUNDS = Number(process.env.ROUNDS ?? 21)
/** Short slices that take turns, so that a noisy moment of the machine meets both sides. */
const SLICES = 10
const CALLS = 192
const CONNECTS = 3
const TOOLS = 1_000
const server = { command: process.execPath, args: [fileURLToPath(new URL("servers/thousand_tools.mjs", import.meta.url)), String(TOOLS)] }
const passThrough = { safeParse: (value) => ({ success: true, data: value }) }
const toolName = (n) => `search_${n % 20}`

const sides = {
  raw: {
    async connect() {
      const client = new Client({ name: "bench", version: "1.0.0" })
      await client.connect(new StdioClientTransport({ ...server, stderr: "ignore" }))
      const { tools } = await client.request({ method: "tools/list", params: {} }, passThrough)
      return { tools, call: (n) => client.request({ method: "tools/call", params: { name: toolName(n), arguments: { query: "x", limit: 10 } } }, passThrough), close: () => client.close() }
    },
  },
  ours: {
    async connect() {
      const client = await createMCPClient("bench", server)
      const handlers = Array.from({ length: 20 }, (_, n) => client.getTool(toolName(n)).handler)
      return { tools: client.tools, call: (n) => handlers[n % 20]({ query: "x", limit: 10 }), close: () => client.close() }
    },
  },
}
const names = Object.keys(sides)

/** Runs a measurement for both sides, round by round, and gives the mean of each round's slices, which take turns. */
async function rounds(count, slices, measure) {
  const values = { raw: [], ours: [] }
  for (let round = 0; round < count; round++) {
    const sums = { raw: 0, ours: 0 }
    for (let slice = 0; slice < slices; slice++) for (const name of (round + slice) % 2 === 0 ? names : names.toReversed()) sums[name] += await measure(name)
    for (const name of names) values[name].push(sums[name] / slices)
  }
  return values
}

function report(title, unit, { raw, ours }, target, digits = 1) {
  const ratios = ours.map((value, round) => value / raw[round])
  const [low, high] = interval(ratios)
  const spread = Math.max(...raw) / Math.min(...raw)
  const verdict = spread > 1.5 ? `void: raw rounds differ by ${spread.toFixed(2)} x` : target === undefined ? "" : low <= target ? `met (target ${target})` : `MISSED (target ${target})`
  console.log(
    `${title.padEnd(40)} raw ${median(raw).toFixed(digits).padStart(8)} ${unit}  ours ${median(ours).toFixed(digits).padStart(8)} ${unit}  ratio ${median(ratios).toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]  ${verdict}`,
  )
}

/** CPU of this process alone: the server's is another one. Closing is not counted, its waiting differs. */
async function connectCPU(name) {
  globalThis.gc?.()
  const before = process.cpuUsage()
  const connected = await sides[name].connect()
  const { user, system } = process.cpuUsage(before)
  if (connected.tools.length !== TOOLS) throw new Error(`${name}: ${connected.tools.length} tools`)
  await connected.close()
  return (user + system) / 1_000
}

async function timePerCall(connected, inFlight) {
  const start = performance.now()
  if (inFlight === 1) for (let n = 0; n < CALLS; n++) await connected.call(n)
  else {
    let next = 0
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (next < CALLS) await connected.call(next++)
      }),
    )
  }
  return ((performance.now() - start) * 1_000) / CALLS
}

/** Loads a module in a fresh process, and gives the milliseconds that the import took. */
function importTime(specifiers) {
  const code = `const start = performance.now(); for (const one of ${JSON.stringify(specifiers)}) await import(one); console.log(performance.now() - start)`
  return Number(execFileSync(process.execPath, ["--input-type=module", "-e", code], { cwd: fileURLToPath(new URL("../..", import.meta.url)), encoding: "utf8" }))
}

console.log(`${ROUNDS} rounds, ${SLICES * CALLS} calls a round, ${TOOLS} tools, Node ${process.version}\n`)

for (const name of names) for (let warm = 0; warm < 6; warm++) await connectCPU(name)
report("connect and list 1,000 tools, CPU", "ms", await rounds(ROUNDS, CONNECTS, connectCPU), 1.5)

const connected = { raw: await sides.raw.connect(), ours: await sides.ours.connect() }
const { data, meta } = await connected.ours.call(0)
if (meta.conformance !== "exact" || data.rows.length !== 10) throw new Error(`unexpected answer: ${JSON.stringify(meta)}`)
for (const inFlight of [1, 64]) {
  for (const name of names) for (let warm = 0; warm < 30; warm++) await timePerCall(connected[name], inFlight)
  const title = inFlight === 1 ? "time per call, one at a time" : `time per call, ${inFlight} at once`
  report(title, "µs", await rounds(ROUNDS, SLICES, (name) => timePerCall(connected[name], inFlight)), inFlight === 1 ? 1.03 : 1.05)
}
await Promise.all(Object.values(connected).map((one) => one.close()))

/** What a client of a process loads when it connects: a chunk of the build, or a file where the compiler alone has written. */
const stdioPart = ["../../dist/chunks/connect_stdio.js", "../../dist/from_mcp/stdio/connect_stdio.js"].map((name) => new URL(name, import.meta.url)).find((url) => existsSync(url))?.href
const imports = {
  raw: ["@modelcontextprotocol/sdk/client/index.js", "@modelcontextprotocol/sdk/client/stdio.js"],
  ours: [new URL("../../dist/from_mcp.js", import.meta.url).href, "@modelcontextprotocol/sdk/client/index.js", stdioPart],
}
report("import, with the SDK client", "ms", await rounds(15, 1, (name) => importTime(imports[name])), undefined)
report("import of the door alone", "ms", await rounds(15, 1, (name) => importTime(name === "raw" ? imports.raw : imports.ours.slice(0, 1))), undefined)
