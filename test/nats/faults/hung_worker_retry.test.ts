/**
 * One of three workers hangs or dies: what is safe to run again is, within a budget; what is not ends as unknown and ran once at most.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import type { ResponseEnvelope } from "../../../src/envelope.js"
import { connectNATS, createRemoteRegistry, type RemoteRegistry, type RemoteRegistryOptions } from "../../../src/nats.js"
import { endOf, type Ended } from "../../fixtures/nats/in_time.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const KEEP_ALIVE_MS = 400
const operations = [
  { namespace: "safe", only: ["echo", "slow", "never"], more: { "*": { annotations: { idempotentHint: true, readOnlyHint: false } } } },
  { namespace: "reading", only: ["echo", "slow", "never"], more: { "*": { type: "query", annotations: { readOnlyHint: true } } } },
  { namespace: "unsafe", only: ["echo", "slow", "never"], more: { "*": { annotations: { destructiveHint: true } } } },
]

describeWithNATS("one of three workers hangs", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let library = ""
  let journal: Journal
  let workers: WorkerProcess[] = []
  let trusting: RemoteRegistry
  let doubting: RemoteRegistry

  const mirror = async (caller: string, more: Partial<RemoteRegistryOptions>) => {
    const connection = await connectNATS({ servers: server.url, caller })
    const remote = await createRemoteRegistry({ connection, caller, keepAliveMs: KEEP_ALIVE_MS, announceEveryMs: 1_000, ...more })
    scope(async () => {
      await remote.close()
      await connection.close()
    })
    return remote
  }
  const call = (remote: RemoteRegistry, id: string, input: unknown, timeoutMs = 15_000): Promise<Ended<ResponseEnvelope>> => {
    const deadline = Date.now() + timeoutMs
    return endOf(remote.execute(id, input, { deadline }), deadline)
  }
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    library = await packageFolder(scope)
    journal = new Journal(scope)
    const script = { url: server.url, journal, operations, expose: ["safe.*", "reading.*", "unsafe.*"], serve: { keepAliveMs: KEEP_ALIVE_MS, announceEveryMs: 1_000 } }
    workers = await Promise.all(["w1", "w2", "w3"].map((name) => startWorker(library, { name, ...script }, scope)))
    trusting = await mirror("alice", { trusted: true })
    doubting = await mirror("bob", {})
  }, 180_000)
  afterAll(end)

  /** Calls with one of the workers stopped before them: a third of them meets it. */
  const callsWithOneStopped = async (remote: RemoteRegistry, id: string, name: string, count: number) => {
    workers[0]?.kill("SIGSTOP")
    try {
      return await Promise.all(Array.from({ length: count }, (_, n) => call(remote, id, { tag: `${name}-${n}` }, 10_000)))
    } finally {
      workers[0]?.kill("SIGCONT")
      await workers[0]?.health()
    }
  }
  const startsOf = (name: string) => journal.entries.filter(({ start, tag }) => start !== undefined && tag?.startsWith(`${name}-`))
  const many = async (remote: RemoteRegistry) => {
    // The budget is a part of the calls that were made: it is full after these.
    for (let n = 0; n < 20; n++) for (const { value } of await Promise.all(Array.from({ length: 20 }, () => call(remote, "safe.echo", "before")))) expect(value?.data).toBe("before")
  }

  test.each(["safe.echo", "reading.echo"])("%s of trusted workers: every call succeeds, by retry where it has to be", { timeout: 120_000 }, async (id) => {
    await many(trusting)
    const ends = await callsWithOneStopped(trusting, id, `trusted ${id}`, 9)
    expect(ends.filter(({ error }) => error !== undefined).map(({ error }) => error?.message)).toEqual([])
    ends.forEach(({ value }, n) => expect(value?.data).toEqual({ tag: `trusted ${id}-${n}` }))
  })

  test("an unsafe operation of trusted workers: those that the hung worker got end as unknown, and none runs twice", { timeout: 120_000 }, async () => {
    const ends = await callsWithOneStopped(trusting, "unsafe.echo", "unsafe", 30)
    const failed = ends.filter(({ error }) => error !== undefined)
    for (const { error } of failed) expect(error?.details).toMatchObject({ outcome: "unknown" })
    expect(failed.length).toBeGreaterThan(0)
    expect(failed.length).toBeLessThan(30)
    const tags = startsOf("unsafe").map(({ tag }) => tag)
    expect(new Set(tags).size).toBe(tags.length)
  })

  test("hints of workers that nobody trusts make nothing safe", { timeout: 120_000 }, async () => {
    const ends = await callsWithOneStopped(doubting, "safe.echo", "doubted", 30)
    const failed = ends.filter(({ error }) => error !== undefined)
    for (const { error } of failed) expect(error?.details).toMatchObject({ outcome: "unknown" })
    expect(failed.length).toBeGreaterThan(0)
    const tags = startsOf("doubted").map(({ tag }) => tag)
    expect(new Set(tags).size).toBe(tags.length)
  })

  test("where all workers hang, the retries are few: a budget of 10 % of the calls", { timeout: 120_000 }, async () => {
    const before = startsOf("hopeless").length
    const fresh = await mirror("carol", { trusted: true })
    // Each worker takes the call and never answers; it is killed by its silence only when its process stops.
    const ends = Promise.all(Array.from({ length: 100 }, (_, n) => call(fresh, "safe.never", { tag: `hopeless-${n}` }, 5_000)))
    await journal.entry(({ tag }) => tag === "hopeless-99")
    for (const worker of workers) worker.kill("SIGSTOP")
    const all = await ends
    for (const worker of workers) worker.kill("SIGCONT")
    for (const worker of workers) await worker.health()
    for (const { error } of all) expect(["unknown", "not_started"]).toContain(error?.details["outcome"])
    const again = startsOf("hopeless").length - before - 100
    // Ten for the calls, and those that a new registry may begin with.
    expect(again).toBeLessThanOrEqual(20)
  })

  test("a call that was not started is made again by another worker, safe or not", { timeout: 120_000 }, async () => {
    const full = { url: server.url, journal, operations: [{ namespace: "few", only: ["slow"] }], expose: ["few.*"] }
    const few = await Promise.all(["few-1", "few-2"].map((name) => startWorker(library, { name, ...full, serve: { concurrency: 1, maxQueued: 0, announceEveryMs: 1_000, keepAliveMs: KEEP_ALIVE_MS } })))
    const remote = await mirror("dora", {})
    await many(trusting)
    const first = call(remote, "few.slow", { ms: 4_000, tag: "occupies-1" })
    await journal.started("occupies-1")
    // Half of these meet the full worker first.
    for (let n = 0; n < 8; n++) {
      const { value, error } = await call(remote, "few.slow", { ms: 5, tag: `elsewhere-${n}` })
      if (error !== undefined) expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
      else expect(value?.data).toBe("slow is done")
    }
    expect((await first).value?.data).toBe("slow is done")
    const tags = startsOf("elsewhere").map(({ tag }) => tag)
    expect(new Set(tags).size).toBe(tags.length)
    expect(tags.length).toBeGreaterThanOrEqual(6)
    for (const worker of few) worker.expectWell()
  })
})
