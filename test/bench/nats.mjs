/**
 * Calls over NATS beside the bare client: rate, 99th percentile, CPU for each call, more workers, memory.
 *
 * One client process (this one), one worker process, one nats-server, all on the loopback address. "Raw" is `nc.request` of the
 * client package with `noAsyncTraces`, whose worker sends the bytes back unread; "JSON" is the same with the JSON written and read at
 * both ends, to show what of the difference is that. Ours is PendingRequestMap over the NATS transport, to an operation with input
 * and output schema and a required scope. Where `moleculer` and `nats` are installed, they are shown beside it. The sides take turns within each round; printed are the medians of the per-round ratios
 * and their 95 % intervals. A run whose raw rounds differ by more than 1.5 x is void, because the machine was not quiet.
 *
 * `node --expose-gc test/bench/nats.mjs [calls] [workers] [memory]` for some parts; ROUNDS and MEMORY_CALLS shorten a run.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { connect } from "@nats-io/transport-node"
import { PendingRequestMap } from "../../dist/index.js"
import { connectNATS, createNATSTransport } from "../../dist/nats.js"
import { startMoleculer } from "./nats/moleculer.mjs"
import { cpuOf, startServer } from "./nats/server.mjs"
import { interval, median } from "./statistics.mjs"

const ROUNDS = Number(process.env.ROUNDS ?? 15)
const MEMORY_CALLS = Number(process.env.MEMORY_CALLS ?? 1_000_000)
const parts = process.argv.slice(2)
const runs = (part) => parts.length === 0 || parts.includes(part)

const server = await startServer()
if (server === undefined) {
  console.log("skipped: nats-server not found on PATH; apt-get install nats-server, or set NATS_SERVER_BIN")
  process.exit(0)
}
console.log(`nats-server ${server.version}, ${ROUNDS} rounds`)

const bare = await connect({ servers: server.url, noAsyncTraces: true })
const connection = await connectNATS({ servers: server.url, caller: "bench" })
const transport = await createNATSTransport({ connection, caller: "bench" })
const map = new PendingRequestMap({ transport })

if (runs("calls")) await calls()
if (runs("workers")) await workers()
if (runs("memory")) await memory()

await transport.close()
await Promise.all([bare.close(), connection.close()])
await server.stop()

/** A worker process: `usage()` gives its CPU time and memory, `usage("collected")` after a collection, `stop()` ends it. */
async function startWorker(options) {
  const child = fork(fileURLToPath(new URL("nats/worker.mjs", import.meta.url)), [JSON.stringify({ url: server.url, ...options })], {
    execArgv: ["--expose-gc", ...(process.env.WORKER_ARGS?.split(" ") ?? [])],
  })
  const [word] = await Promise.race([once(child, "message"), once(child, "exit").then(() => ["gone"])])
  if (word !== "ready") throw new Error("the worker of the bench did not start")
  return {
    async usage(word = "usage") {
      child.send(word)
      const [usage] = await once(child, "message")
      return usage
    },
    async stop() {
      const exit = once(child, "exit")
      child.disconnect()
      await exit
    },
  }
}

async function calls() {
  const worker = await startWorker({ name: "w1", namespaces: ["bench"] })
  const moleculer = await startMoleculer(server.url)
  if (moleculer === undefined) console.log("Moleculer is not shown: `npm install --no-save moleculer@0.14 nats@2` for that")
  const textOf = (bytes) => ({ id: "a", text: "x".repeat(bytes - '{"id":"a","text":""}'.length) })
  const rowsOf = (count) => ({ rows: Array.from({ length: count }, (_, id) => ({ id, title: `Row number ${id} of the result`, score: id / 7, tags: ["alpha", "beta", "gamma"] })) })
  const cells = [
    { title: "200 B", operation: "bench.text", input: textOf(200), targets: { 1: 0.7, 64: 0.75, 1024: 0.7 }, slice: { 1: 1_000, 64: 4_000, 1024: 8_192 } },
    { title: "10 kB, one text", operation: "bench.text", input: textOf(10_000), targets: { 1: 0.75, 64: 0.45, 1024: 0.55 }, slice: { 1: 500, 64: 2_000, 1024: 4_096 } },
    { title: "10 kB, 96 rows", operation: "bench.rows", input: rowsOf(96), targets: { 1: 0.75, 64: 0.45, 1024: 0.55 }, slice: { 1: 500, 64: 2_000, 1024: 4_096 } },
  ]
  for (const { title, operation, input, targets, slice } of cells) {
    const body = new TextEncoder().encode(JSON.stringify(input))
    console.log(`\n${title} (${body.length.toLocaleString("en")} bytes)`)
    const sides = {
      raw: () => bare.request("raw.w1", body, { timeout: 60_000 }),
      JSON: async () => (await bare.request("json.w1", JSON.stringify(input), { timeout: 60_000 })).json(),
      ours: () => map.call(operation, input),
      ...(moleculer === undefined ? {} : { Moleculer: () => moleculer.call(operation, input) }),
    }
    const names = Object.keys(sides)
    const workerOf = (name) => (name === "Moleculer" ? moleculer : worker)
    // Before the first figure everything is compiled.
    for (const name of names) await slices(sides[name], 64, 2 * slice[64], workerOf(name))
    for (const inFlight of [1, 64, 1024]) {
      const seen = Object.fromEntries(names.map((name) => [name, []]))
      for (let round = -1; round < ROUNDS; round++) {
        for (const name of round % 2 === 0 ? names : names.toReversed()) {
          const result = await slices(sides[name], inFlight, slice[inFlight], workerOf(name))
          // The first round warms up.
          if (round >= 0) seen[name].push(result)
        }
      }
      report(inFlight, seen, targets[inFlight])
    }
  }
  await moleculer?.stop()
  await worker.stop()
}

/** One slice of calls: their rate, the 99th percentile of their times, and CPU for each call of client, server and worker. */
async function slices(call, inFlight, count, worker) {
  const times = new Float64Array(count)
  let next = 0
  // Nothing is collected between slices: with no call alive the engine would forget what it knows of their objects.
  const { cpu } = await worker.usage()
  const serverBefore = cpuOf(server.pid)
  const own = process.cpuUsage()
  const start = performance.now()
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (next < count) {
        const n = next++
        const sent = performance.now()
        await call()
        times[n] = performance.now() - sent
      }
    }),
  )
  const took = performance.now() - start
  const { user, system } = process.cpuUsage(own)
  const serverAfter = cpuOf(server.pid)
  const after = await worker.usage()
  times.sort()
  return {
    rate: (count * 1_000) / took,
    p99: times[Math.ceil(count * 0.99) - 1],
    client: (user + system) / count,
    worker: (after.cpu - cpu) / count,
    server: (serverAfter - serverBefore) / count,
  }
}

function report(inFlight, seen, target) {
  const { raw, JSON: json, ours, Moleculer: moleculer } = seen
  const of = (list, member) => median(list.map((slice) => slice[member]))
  const ratios = (list, member) => list.map((slice, round) => member(slice) / member(raw[round]))
  const rate = ({ rate }) => rate
  const cpu = ({ client, worker, server }) => client + worker + server
  const [low, high] = interval(ratios(ours, rate))
  const [p99Low, p99High] = interval(ratios(ours, ({ p99 }) => p99))
  const rates = raw.map(rate)
  const spread = Math.max(...rates) / Math.min(...rates)
  const verdict = (met, words) => (spread > 1.5 ? `void: raw rounds differ by ${spread.toFixed(2)} x` : met ? `met (${words})` : `MISSED (${words})`)
  const shown = (list) => `${Math.round(of(list, "rate")).toLocaleString("en").padStart(7)}/s  p99 ${of(list, "p99").toFixed(2).padStart(7)} ms`
  const spent = (list) => `${["client", "worker", "server"].map((who) => of(list, who).toFixed(0)).join(" + ")} µs`
  console.log(`  ${inFlight.toLocaleString("en")} in flight`)
  for (const [name, list] of Object.entries(seen)) console.log(`    ${name.padEnd(9)} ${shown(list)}  CPU of client + worker + server ${spent(list)} a call`)
  console.log(`    rate  ${median(ratios(ours, rate)).toFixed(3)} of raw [${low.toFixed(3)}, ${high.toFixed(3)}], ${median(ratios(json, rate)).toFixed(3)} for JSON alone  ${verdict(low >= target, `target ${target}`)}`)
  console.log(`    p99   ${median(ratios(ours, ({ p99 }) => p99)).toFixed(3)} of raw [${p99Low.toFixed(3)}, ${p99High.toFixed(3)}]  ${verdict(p99Low <= 2, "target 2")}`)
  if (moleculer !== undefined) console.log(`    Moleculer: rate ${median(ratios(moleculer, rate)).toFixed(3)} of raw, CPU ${median(ratios(moleculer, cpu)).toFixed(3)} of raw`)
  console.log(`    CPU   ${median(ratios(ours, cpu)).toFixed(3)} of raw, ${median(ratios(json, cpu)).toFixed(3)} for JSON alone`)
}

/**
 * A handler that waits 5 ms in workers that run four calls at once: their places are the limit, not the two cores. The namespace
 * "one" is served by a single worker, "all" by three; each worker has the same number of callers.
 */
async function workers() {
  const PER_WORKER = 100
  const started = []
  for (const n of [1, 2, 3]) started.push(await startWorker({ name: `s${n}`, namespaces: n === 1 ? ["one", "all"] : ["all"], concurrency: 4 }))
  const rates = { one: [], all: [] }
  for (let round = -1; round < ROUNDS; round++) {
    for (const [namespace, count] of [["one", 1], ["all", 3]]) {
      const rate = await steadyRate(() => map.call(`${namespace}.wait`, { ms: 5 }), PER_WORKER * count)
      if (round >= 0) rates[namespace].push(rate)
    }
  }
  const ratios = rates.all.map((rate, round) => rate / rates.one[round])
  const [low, high] = interval(ratios)
  const spread = Math.max(...rates.one) / Math.min(...rates.one)
  const verdict = spread > 1.5 ? `void: the rounds of one worker differ by ${spread.toFixed(2)} x` : low >= 2.7 ? "met (target 2.7)" : "MISSED (target 2.7)"
  console.log(`\nOne and three workers, a handler of 5 ms, 4 calls at once in each, ${PER_WORKER} callers for each`)
  console.log(`  one ${Math.round(median(rates.one)).toLocaleString("en")}/s, three ${Math.round(median(rates.all)).toLocaleString("en")}/s: ${median(ratios).toFixed(2)} x [${low.toFixed(2)}, ${high.toFixed(2)}]  ${verdict}`)
  for (const worker of started) await worker.stop()
}

/** Calls a second in the middle of a run: neither its beginning nor the last ones are counted. */
async function steadyRate(call, inFlight) {
  let going = true
  let count = 0
  const callers = Array.from({ length: inFlight }, async () => {
    while (going) {
      await call()
      count++
    }
  })
  await new Promise((resolve) => setTimeout(resolve, 200))
  const before = count
  const start = performance.now()
  await new Promise((resolve) => setTimeout(resolve, 500))
  const rate = ((count - before) * 1_000) / (performance.now() - start)
  going = false
  await Promise.all(callers)
  return rate
}

/** Memory of both ends after each tenth of the calls, collected; compared with the state after the first tenth. */
async function memory() {
  const worker = await startWorker({ name: "m1", namespaces: ["memory"] })
  const input = { id: "a", text: "x".repeat(180) }
  const MB = 1_048_576
  const states = []
  console.log(`\nMemory over ${MEMORY_CALLS.toLocaleString("en")} calls, 64 in flight, after a collection`)
  for (let tenth = 1; tenth <= 10; tenth++) {
    let left = MEMORY_CALLS / 10
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        while (left-- > 0) await map.call("memory.text", input)
      }),
    )
    // Once more after a turn: what a promise or a finalizer held is free then.
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 50))
    globalThis.gc?.()
    const { heapUsed, rss } = process.memoryUsage()
    const other = await worker.usage("collected")
    states.push({ client: heapUsed / MB, clientRSS: rss / MB, worker: other.heapUsed / MB, workerRSS: other.rss / MB })
    if ([1, 2, 5, 10].includes(tenth)) {
      const { client, clientRSS, worker: there, workerRSS } = states.at(-1)
      console.log(`  after ${((MEMORY_CALLS / 10) * tenth).toLocaleString("en").padStart(9)}: client heap ${client.toFixed(1)} MB, RSS ${clientRSS.toFixed(0)} MB; worker heap ${there.toFixed(1)} MB, RSS ${workerRSS.toFixed(0)} MB`)
    }
  }
  const growth = (member) => states.at(-1)[member] - states[0][member]
  const flat = growth("client") <= 5 && growth("worker") <= 5 && map.pendingCount === 0
  console.log(`  heap grew by ${growth("client").toFixed(2)} MB in the client, ${growth("worker").toFixed(2)} MB in the worker; ${map.pendingCount} calls wait  ${flat ? "met (at most 5 MB)" : "MISSED (at most 5 MB)"}`)
  await worker.stop()
}
