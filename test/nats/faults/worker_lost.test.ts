/**
 * Workers that die or hang with calls in flight: seen within three keep-alives, told as "it may have run", and never run twice.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { startCallerProcess } from "../../fixtures/nats/caller_process.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const KEEP_ALIVE_MS = 500
/** Three keep-alives, and a machine that others use too; the deadlines are far behind it. */
const SEEN_MS = 3 * KEEP_ALIVE_MS + 1_500
const LOST = { code: "TRANSPORT_ERROR", details: { outcome: "unknown" } }

describeWithNATS("workers that are lost", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let library = ""
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    library = await packageFolder(scope)
  }, 180_000)
  afterAll(end)

  const start = async (names: string[]): Promise<{ workers: WorkerProcess[]; caller: Caller; journal: Journal }> => {
    const journal = new Journal()
    const serve = { keepAliveMs: KEEP_ALIVE_MS }
    const workers = await Promise.all(names.map((name) => startWorker(library, { name, url: server.url, journal, serve })))
    const caller = await startCaller({ url: server.url, transport: { keepAliveMs: KEEP_ALIVE_MS } })
    return { workers, caller, journal }
  }

  test("killed in the middle of a call: the call ends within three keep-alives, long before its deadline", async () => {
    const { workers, caller, journal } = await start(["w1"])
    const call = caller.end("t.slow", { ms: 30_000, tag: "a" }, { timeoutMs: 15_000 })
    await journal.started("a")
    // It has said that it lives.
    await new Promise((resolve) => setTimeout(resolve, 2 * KEEP_ALIVE_MS))
    const killedAt = performance.now()
    workers[0]?.kill("SIGKILL")
    const { error } = await call
    expect(error).toMatchObject(LOST)
    expect(performance.now() - killedAt).toBeLessThan(SEEN_MS)
    journal.expectNothingTwice()
  })

  test("killed before it could say anything: the call ends by its deadline", async () => {
    const { workers, caller, journal } = await start(["w1"])
    // The process stops in its first turn with the call, so that it never says that it took it.
    const call = caller.end("t.block", { ms: 20_000, tag: "a" }, { timeoutMs: 2_000 })
    await journal.started("a")
    workers[0]?.kill("SIGKILL")
    const { error } = await call
    expect(["TRANSPORT_ERROR", "TIMEOUT"]).toContain(error?.code)
    expect(error?.details).toMatchObject({ outcome: "unknown" })
  })

  test("killed in the middle of a stream: what came is kept, the rest is one error", async () => {
    const { workers, caller, journal } = await start(["w1"])
    const items: unknown[] = []
    const killed = { at: 0 }
    const read = async () => {
      for await (const { data } of caller.map.subscribe("t.count", { to: 1_000, ms: 50, tag: "s" }, { deadline: Date.now() + 15_000 })) {
        items.push(data)
        if (items.length === 5) {
          killed.at = performance.now()
          workers[0]?.kill("SIGKILL")
        }
      }
    }
    await expect(read()).rejects.toMatchObject(LOST)
    expect(performance.now() - killed.at).toBeLessThan(SEEN_MS)
    expect(items.length).toBeGreaterThanOrEqual(5)
    expect(items).toEqual(items.map((_, n) => n))
    expect(caller.map.pendingCount).toBe(0)
    expect(journal.starts("s")).toHaveLength(1)
  })

  test("one of two is killed with 20 calls in flight: its calls end as unknown, the others finish, new ones go to the one that is left", async () => {
    const { workers, caller, journal } = await start(["w1", "w2"])
    const tags = Array.from({ length: 20 }, (_, n) => `call-${n}`)
    const calls = tags.map((tag) => caller.end("t.slow", { ms: 5_000, tag }, { timeoutMs: 20_000 }))
    const starts = await Promise.all(tags.map((tag) => journal.started(tag)))
    // Accepted, and alive for at least one keep-alive.
    await new Promise((resolve) => setTimeout(resolve, 2 * KEEP_ALIVE_MS))
    workers[0]?.kill("SIGKILL")
    const ends = await Promise.all(calls)
    ends.forEach(({ value, error }, n) => {
      if (starts[n]?.worker === "w1") expect(error).toMatchObject(LOST)
      else expect(value?.data).toBe("slow is done")
    })
    expect(new Set(starts.map(({ worker }) => worker))).toEqual(new Set(["w1", "w2"]))
    expect(await Promise.all(Array.from({ length: 20 }, (_, n) => caller.data("t.echo", n)))).toEqual(Array.from({ length: 20 }, (_, n) => n))
    journal.expectNothingTwice()
    workers[1]?.expectWell()
  })

  test("stopped in the middle of a call: seen as a killed one is; what it says when it goes on is nobody's answer", async () => {
    const { workers, caller, journal } = await start(["w1"])
    const call = caller.end("t.stubborn", { ms: 3_000, tag: "a" }, { timeoutMs: 15_000 })
    await journal.started("a")
    await new Promise((resolve) => setTimeout(resolve, KEEP_ALIVE_MS))
    const stoppedAt = performance.now()
    workers[0]?.kill("SIGSTOP")
    const { error } = await call
    expect(error).toMatchObject(LOST)
    expect(performance.now() - stoppedAt).toBeLessThan(SEEN_MS)
    workers[0]?.kill("SIGCONT")
    await journal.entry(({ end: name, tag }) => name === "stubborn" && tag === "a")
    // Its late answer went before this one on the same connection.
    expect(await caller.data("t.echo", "after")).toBe("after")
    journal.expectNothingTwice()
    workers[0]?.expectWell()
  })

  test("stopped before a call: the call ends by its deadline, and is never started when the worker goes on", async () => {
    const { workers, caller, journal } = await start(["w1"])
    // The worker knows the time on the way by the quickest of these.
    for (let n = 0; n < 20; n++) expect(await caller.data("t.echo", n)).toBe(n)
    workers[0]?.kill("SIGSTOP")
    const deadline = Date.now() + 1_500
    const ends = await Promise.all(Array.from({ length: 10 }, (_, n) => caller.end("t.slow", { ms: 5, tag: `late-${n}` }, { deadline })))
    for (const { error } of ends) {
      expect(["TRANSPORT_ERROR", "TIMEOUT"]).toContain(error?.code)
      expect(error?.details).toMatchObject({ outcome: "unknown" })
    }
    // Given up before the deadline or at it: from then on nothing of it may begin.
    await new Promise((resolve) => setTimeout(resolve, deadline + 500 - Date.now()))
    workers[0]?.kill("SIGCONT")
    expect(await caller.data("t.echo", "after")).toBe("after")
    expect(journal.entries.filter(({ start: name }) => name === "slow")).toEqual([])
    workers[0]?.expectWell()
  })

  test("a worker whose event loop is kept for longer than three keep-alives by one handler is given up, and serves again afterwards", async () => {
    const { workers, caller, journal } = await start(["w1"])
    const { error } = await caller.end("t.block", { ms: 2_500, tag: "a" }, { timeoutMs: 15_000 })
    // Nothing tells a worker that is busy from one that is dead: either the call is given up or its answer is waited for.
    if (error !== undefined) expect(error).toMatchObject(LOST)
    // It answers when it can again.
    await workers[0]?.health()
    expect(await caller.data("t.echo", "after")).toBe("after")
    journal.expectNothingTwice()
    workers[0]?.expectWell()
  })

  test("a caller that dies leaves nothing running for ever", async () => {
    const journal = new Journal()
    const worker = await startWorker(library, { name: "w1", url: server.url, journal, serve: { keepAliveMs: KEEP_ALIVE_MS } })
    const caller = await startCallerProcess(library, { url: server.url, caller: "bob", subscribe: ["t.endless", { tag: "left" }], read: 3 })
    await caller.line
    expect((await worker.health()).health["inFlight"]).toBe(1)
    caller.kill("SIGKILL")
    await worker.healthThat(({ inFlight }) => inFlight === 0)
    await journal.entry(({ end: name, tag }) => name === "endless" && tag === "left")
    worker.expectWell()
  })
})
