/**
 * What many operations and many workers cost: the figures of docs/architecture/scale.md.
 *
 * One nats-server, workers with a connection each in a few processes, and the mirror under test in this one. For each line: what the
 * mirror reads until it is complete and how long that takes, what it keeps, what one changed operation costs, and then announcements
 * alone, sent so often that their cost can be seen.
 *
 * `node --expose-gc test/bench/nats_scale.mjs [workers x operations | same workers x operations]…`, for example `10x1000 same100x10`;
 * `node test/bench/nats_scale.mjs computed [mirrors]` works the rest out from `MEASURED` and measures nothing.
 */
import { fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { connect } from "@nats-io/transport-node"
import { connectNATS, createRemoteRegistry } from "../../dist/nats.js"
import { cpuOf, startServer } from "./nats/server.mjs"

const LINES = ["1x10", "1x1000", "1x10000", "1x100000", "10x1", "10x100", "10x10000", "100x10", "100x1000", "1000x1", "1000x10", "1000x100", "same10x1000", "same100x1000", "same1000x10"]
const PROCESSES = 4
const ANNOUNCE_MS = 1_000
const WINDOW_MS = 5_000
const LISTENERS = 20
const PATIENCE_MS = 120_000
/** Below so many announcements what else the processes do would be counted as theirs. */
const FEW = 1_000
const MB = 1_048_576

/** What lines of this program printed on two shared cores: bytes, and microseconds of CPU. */
const MEASURED = { announcement: 190, operation: 1_085, mirrored: 3_100, readOperation: 170, hearAnnouncement: 55, passAnnouncement: 5 }
/** `MSG subject number length` and line ends around a body. */
const FRAME = 50
const EVERY_S = 5
const PAGE = 256 * 1024

const whole = (value) => Math.round(value).toLocaleString("en")

if (process.argv[2] === "computed") {
  compute(Number(process.argv[3] ?? 100))
  process.exit()
}
for (const line of process.argv.length > 2 ? process.argv.slice(2) : LINES) {
  const [, same, workers, operations] = /^(same)?(\d+)x(\d+)$/.exec(line) ?? []
  if (workers === undefined) throw new Error(`"${line}" is no line: say 10x1000 or same10x1000`)
  await measure(same !== undefined, Number(workers), Number(operations))
}

/** One line for each number of operations and workers, operations spread evenly; fewer operations than workers: the same ones at several. */
function compute(mirrors) {
  const { announcement, operation, mirrored, readOperation, hearAnnouncement, passAnnouncement } = MEASURED
  const size = (bytes) => (bytes < 10_000 ? `${whole(bytes)} B` : bytes < 1e7 ? `${whole(bytes / 1_000)} kB` : bytes < 1e10 ? `${whole(bytes / 1e6)} MB` : `${whole(bytes / 1e9)} GB`)
  console.log(`${whole(mirrors)} mirrors, one namespace a worker, an announcement every ${EVERY_S} s`)
  console.log("| operations | workers | subscriptions | announcements/s to one mirror, its CPU | announcements/s to all, bytes/s, server CPU | a mirror reads, pages, CPU | a mirror keeps | one change, to all mirrors | all mirrors start |")
  console.log("| ---: | ---: | ---: | --- | --- | --- | ---: | ---: | ---: |")
  for (const operations of [10, 1_000, 100_000]) {
    for (const workers of [10, 100, 1_000]) {
      const each = Math.max(1, operations / workers)
      const heard = workers / EVERY_S
      const passed = heard * mirrors
      // Workers that hold the same are read once.
      const pages = Math.ceil((each * operation) / PAGE) * Math.min(workers, operations)
      const percent = (micros) => `${(micros / 10_000).toFixed(micros < 100_000 ? 1 : 0)} %`
      const cells = [
        whole(operations),
        whole(workers),
        whole(workers * 9 + mirrors * 3),
        `${whole(heard)}, ${percent(heard * hearAnnouncement)}`,
        `${whole(passed)}, ${size(passed * (announcement + FRAME))}, ${percent(passed * passAnnouncement)}`,
        `${size(operations * operation)}, ${whole(pages)}, ${((operations * readOperation) / 1e6).toFixed(1)} s`,
        size(operations * mirrored),
        size(each * operation * mirrors),
        size(operations * operation * mirrors),
      ]
      console.log(`| ${cells.join(" | ")} |`)
    }
  }
}

async function measure(same, workers, operations) {
  const server = await startServer(["-m", "-1"])
  if (server === undefined) {
    console.log("skipped: nats-server not found on PATH; apt-get install nats-server, or set NATS_SERVER_BIN")
    return
  }
  const total = same ? operations : workers * operations
  console.log(`\n${whole(workers)} ${workers === 1 ? "worker" : "workers"}, ${whole(operations)} operations each${same ? ", the same ones" : ""}: ${whole(total)} operations (nats-server ${server.version})`)
  const crowds = await startCrowds(server.url, same, workers, operations)
  const inWorkers = (await Promise.all(crowds.map((crowd) => crowd.ask("usage")))).reduce((sum, { rss }) => sum + rss, 0)

  const { subscriptions, connections } = await monitored(server)
  const observer = await connectNATS({ servers: server.url, caller: "observer" })
  console.log(`  subscriptions on the server ${whole(subscriptions)}, connections ${whole(connections)}, server RSS ${rssOf(server.pid)}, workers ${(inWorkers / MB).toFixed(0)} MB in ${crowds.length} processes`)

  globalThis.gc()
  await wait(50)
  globalThis.gc()
  const heapBefore = process.memoryUsage().heapUsed
  const before = { ...observer.stats(), cpu: process.cpuUsage(), server: cpuOf(server.pid), start: performance.now() }
  const mirror = await createRemoteRegistry({ connection: observer, caller: "observer", announceEveryMs: ANNOUNCE_MS, discoverMs: 0, maxCatalogueBytes: 1024 * MB, maxOperations: 200_000, onReport: ({ message }) => console.log(`  report: ${message}`) })
  const complete = async (count) => {
    const until = performance.now() + PATIENCE_MS
    while (performance.now() < until && mirror.workers().reduce((sum, worker) => sum + worker.operations, 0) < count) await wait(10)
    if (performance.now() >= until) console.log(`  NOT COMPLETE after ${PATIENCE_MS / 1_000} s`)
  }
  await complete(workers * operations)
  const took = performance.now() - before.start
  const stats = observer.stats()
  const own = process.cpuUsage(before.cpu)
  const serverCPU = cpuOf(server.pid) - before.server
  globalThis.gc()
  await wait(50)
  globalThis.gc()
  const kept = process.memoryUsage().heapUsed - heapBefore
  const bytes = stats.inBytes - before.inBytes
  console.log(
    `  mirror complete after ${whole(took)} ms: read ${whole(bytes)} bytes in ${whole(stats.inMsgs - before.inMsgs)} messages, ${whole(bytes / total)} bytes an operation; CPU of the mirror ${whole((own.user + own.system) / 1_000)} ms, of the server ${whole(serverCPU / 1_000)} ms`,
  )
  console.log(`  mirror keeps ${(kept / MB).toFixed(1)} MB, ${whole(kept / total)} bytes an operation`)

  // A worker that was read is left alone for four times as long as that took, at most 30 s.
  await wait(Math.min(30_000, 5 * took + 500))
  const changed = { ...observer.stats(), start: performance.now() }
  await crowds[0].ask("change")
  await complete(workers * operations + 1)
  const after = observer.stats()
  console.log(`  one operation more at one worker: known after ${whole(performance.now() - changed.start)} ms, ${whole(after.inBytes - changed.inBytes)} bytes in ${whole(after.inMsgs - changed.inMsgs)} messages to each mirror`)

  await announcements(server, observer, crowds)
  await mirror.close()
  await observer.close()
  await Promise.all(crowds.map((crowd) => crowd.stop()))
  await server.stop()
}

/** Announcements alone: their size, what one costs a mirror, and what handing one on costs the server. */
async function announcements(server, observer, crowds) {
  const bare = await Promise.all(Array.from({ length: LISTENERS }, () => connect({ servers: server.url })))
  const window = async () => {
    const before = { ...observer.stats(), cpu: process.cpuUsage(), server: cpuOf(server.pid), out: (await monitored(server)).out_msgs }
    await wait(WINDOW_MS)
    const stats = observer.stats()
    const own = process.cpuUsage(before.cpu)
    return {
      messages: stats.inMsgs - before.inMsgs,
      bytes: stats.inBytes - before.inBytes,
      own: own.user + own.system,
      server: cpuOf(server.pid) - before.server,
      out: (await monitored(server)).out_msgs - before.out,
    }
  }
  const alone = await window()
  for (const connection of bare) connection.subscribe("ops.v1.announce.*", { callback: () => undefined })
  await Promise.all(bare.map((connection) => connection.flush()))
  const crowd = await window()
  await Promise.all(bare.map((connection) => connection.close()))
  const extra = crowd.out - alone.out
  const costs =
    alone.messages < FEW
      ? "too few to tell what one costs"
      : `each costs a mirror ${(alone.own / alone.messages).toFixed(1)} µs; each more listener costs the server ${((crowd.server - alone.server) / extra).toFixed(1)} µs an announcement (${whole(alone.messages)} in ${WINDOW_MS / 1_000} s, then to ${LISTENERS + 1} listeners)`
  console.log(`  announcements: ${(alone.bytes / alone.messages).toFixed(0)} bytes each; ${costs}`)
}

async function startCrowds(url, same, workers, operations) {
  const per = Math.ceil(workers / PROCESSES)
  const starts = Array.from({ length: Math.ceil(workers / per) }, (_, n) => n * per)
  return Promise.all(
    starts.map(async (from) => {
      const options = { url, from, count: Math.min(per, workers - from), operations, same, announceEveryMs: ANNOUNCE_MS }
      const child = fork(fileURLToPath(new URL("nats/crowd.mjs", import.meta.url)), [JSON.stringify(options)], { execArgv: ["--expose-gc"] })
      const [word] = await Promise.race([once(child, "message"), once(child, "exit").then(() => ["gone"])])
      if (word !== "ready") throw new Error("the workers did not start")
      return {
        async ask(what) {
          child.send(what)
          const [usage] = await once(child, "message")
          return usage
        },
        async stop() {
          const exit = once(child, "exit")
          child.disconnect()
          await exit
        },
      }
    }),
  )
}

async function monitored(server) {
  return (await fetch(new URL("/varz", server.monitoring))).json()
}

function rssOf(pid) {
  try {
    return `${(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1_024).toFixed(0)} MB`
  } catch {
    return "unknown"
  }
}
