/**
 * Calls a second through the registry and through the call protocol in process, beside tRPC's server-side caller.
 *
 * Same machine, same run, rounds interleaved; each caller runs a no-op handler with a validated input `{ id: string }`.
 * Printed: the median rate of each caller, and the median of the per-round ratios of its cost to tRPC's with a 95 % interval.
 */
import { initTRPC } from "@trpc/server"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Type, OperationRegistry, PendingRequestMap, buildCallHandler, createInProcessTransport, defineOperation } from "../../dist/index.js"
import { interval, median } from "./statistics.mjs"

const ROUNDS = 15
const CALLS = 20_000

const input = Type.Object({ id: Type.String() })
const noop = defineOperation({ namespace: "t", name: "noop", type: "query", inputSchema: input, outputSchema: Type.Object({ ok: Type.Boolean() }), handler: () => ({ ok: true }) })
const later = defineOperation({ ...noop, name: "later", handler: async () => ({ ok: true }) })
const registry = new OperationRegistry({ json: "off" })
registry.registerAll([noop, later])
const transport = createInProcessTransport()
buildCallHandler({ registry, transport })
const map = new PendingRequestMap({ transport, maxPending: 200_000 })

const check = TypeCompiler.Compile(input)
const t = initTRPC.create()
const router = t.router({
  noop: t.procedure
    .input((value) => {
      if (check.Check(value)) return value
      throw new Error("bad")
    })
    .query(() => ({ ok: true })),
})
const caller = t.createCallerFactory(router)({})

const runs = {
  "tRPC caller": () => caller.noop({ id: "x" }),
  "execute (by id)": () => registry.execute("t.noop", { id: "x" }),
  "execute (async handler)": () => registry.execute("t.later", { id: "x" }),
  "PendingRequestMap": () => map.call("t.noop", { id: "x" }),
}

async function measure(run, inFlight) {
  const start = performance.now()
  if (inFlight === 1) for (let n = 0; n < CALLS; n++) await run()
  else {
    let left = CALLS
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (left-- > 0) await run()
      }),
    )
  }
  return ((performance.now() - start) * 1_000) / CALLS
}

for (const inFlight of [1, 64]) {
  const times = Object.fromEntries(Object.keys(runs).map((name) => [name, []]))
  for (const run of Object.values(runs)) await measure(run, inFlight)
  for (let round = 0; round < ROUNDS; round++) for (const [name, run] of Object.entries(runs)) times[name].push(await measure(run, inFlight))
  console.log(`\n${inFlight} in flight, ${ROUNDS} rounds of ${CALLS} calls`)
  for (const [name, list] of Object.entries(times)) {
    const ratios = list.map((time, round) => time / times["tRPC caller"][round])
    const [low, high] = interval(ratios)
    console.log(
      `  ${name.padEnd(26)} ${median(list).toFixed(2).padStart(6)} µs  ${Math.round(1e6 / median(list)).toLocaleString("en").padStart(9)}/s  cost ${median(ratios).toFixed(2)} of tRPC [${low.toFixed(2)}, ${high.toFixed(2)}]`,
    )
  }
  const base = times["tRPC caller"]
  if (Math.max(...base) / Math.min(...base) > 1.5) console.log("  void: the rounds of the reference differ by more than 1.5 x")
}

const MANY = 100_000
const bare = async () => {
  const pending = new Map()
  const calls = Array.from({ length: MANY }, (_, n) => new Promise((resolve) => pending.set(n, resolve)))
  await null
  for (const [n, resolve] of pending) {
    pending.delete(n)
    resolve(n)
  }
  await Promise.all(calls)
}
const full = () => Promise.all(Array.from({ length: MANY }, () => map.call("t.noop", { id: "x" })))
const rates = []
for (let round = 0; round < ROUNDS + 2; round++) {
  const start = performance.now()
  await bare()
  const middle = performance.now()
  await full()
  if (round >= 2) rates.push((middle - start) / (performance.now() - middle))
}
const [low, high] = interval(rates)
console.log(`\n${MANY.toLocaleString("en")} in flight: rate ${median(rates).toFixed(3)} of a bare promise map [${low.toFixed(3)}, ${high.toFixed(3)}]`)
await transport.close()
