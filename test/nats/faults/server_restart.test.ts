/**
 * The server dies and comes back: what was open ends as unknown, what is called meanwhile ends as not started, and the same objects
 * serve again afterwards.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller } from "../../fixtures/nats/caller.js"
import type { Caller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const UNKNOWN = { code: "TRANSPORT_ERROR", details: { outcome: "unknown" } }
const NOT_STARTED = { code: "TRANSPORT_ERROR", details: { outcome: "not_started" } }

describeWithNATS("a server that dies", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let caller: Caller
  let worker: WorkerProcess
  let journal: Journal
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    journal = new Journal(scope)
    worker = await startWorker(await packageFolder(scope), { name: "w1", url: server.url, journal }, scope)
    caller = await startCaller({ url: server.url }, scope)
  }, 180_000)
  afterAll(end)

  /** Both ends are back when a call succeeds; until then every call says that nothing was started. */
  const back = async () => {
    const lastTry = Date.now() + 30_000
    for (let n = 0; ; n++) {
      const { value, error } = await caller.end("t.echo", n, { timeoutMs: 5_000 })
      if (value !== undefined) return
      expect(error?.details["outcome"]).toBe("not_started")
      if (Date.now() > lastTry) throw new Error("Nothing works 30 s after the server came back", { cause: error })
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
  const down = () =>
    new Promise<void>((resolve) => {
      const stop = caller.transport.onStatus((status) => {
        if (status !== "down") return
        stop()
        resolve()
      })
    })

  test("killed with calls in flight: each ends as unknown when the connection drops, not at its deadline", async () => {
    const calls = Array.from({ length: 10 }, (_, n) => caller.end("t.slow", { ms: 20_000, tag: `mid-${n}` }, { timeoutMs: 8_000 }))
    await Promise.all(calls.map((_, n) => journal.started(`mid-${n}`)))
    const killedAt = performance.now()
    server.kill()
    for (const { error } of await Promise.all(calls)) expect(error).toMatchObject(UNKNOWN)
    expect(performance.now() - killedAt).toBeLessThan(4_000)
    expect(caller.transport.status).toBe("down")
    expect(caller.map.pendingCount).toBe(0)
    // While it is away: at once, nothing started.
    const { error, ms } = await caller.end("t.echo", { tag: "while-down" })
    expect(error).toMatchObject(NOT_STARTED)
    expect(ms).toBeLessThan(4_000)
    const subscribed = await caller.items("t.count", { to: 1 })
    expect(subscribed).toMatchObject({ items: [], error: NOT_STARTED })
    await server.restart()
    await back()
    expect(journal.starts("while-down")).toEqual([])
    // Nobody waits for them any more: at their deadline at the latest the worker stops them.
    await worker.healthThat(({ inFlight }) => inFlight === 0)
    journal.expectNothingTwice()
    worker.expectWell()
  })

  test("killed in the middle of a stream: what came is kept, then one error; a new subscription works after", async () => {
    const items: unknown[] = []
    const read = async () => {
      for await (const { data } of caller.map.subscribe("t.count", { to: 10_000, ms: 5, tag: "stream" }, { deadline: Date.now() + 30_000 })) {
        items.push(data)
        if (items.length === 20) server.kill()
      }
    }
    await expect(read()).rejects.toMatchObject(UNKNOWN)
    expect(items.length).toBeGreaterThanOrEqual(20)
    expect(items).toEqual(items.map((_, n) => n))
    await server.restart()
    await back()
    expect(await caller.items("t.count", { to: 50 })).toEqual({ items: Array.from({ length: 50 }, (_, n) => n), error: undefined })
    await journal.entry(({ end: name, tag }) => name === "count" && tag === "stream")
    await worker.healthThat(({ inFlight }) => inFlight === 0)
    worker.expectWell()
  })

  test("restarted while a handler runs on: its late answer is nobody's, and the next calls get their own", async () => {
    const call = caller.end("t.stubborn", { ms: 2_000, tag: "outlives" }, { timeoutMs: 10_000 })
    await journal.started("outlives")
    await server.restart()
    expect((await call).error).toMatchObject(UNKNOWN)
    await back()
    const calls = Promise.all(Array.from({ length: 200 }, (_, n) => caller.data("t.echo", n)))
    await journal.entry(({ end: name, tag }) => name === "stubborn" && tag === "outlives")
    expect(await calls).toEqual(Array.from({ length: 200 }, (_, n) => n))
    expect(await caller.data("t.echo", "last")).toBe("last")
    journal.expectNothingTwice()
    worker.expectWell()
  })

  test("restarted five times under calls: every call ends in time, as answered, unknown or not started, and none ran twice", { timeout: 120_000 }, async () => {
    let isOver = false
    const ends: string[] = []
    const load = Array.from({ length: 8 }, async (_, lane) => {
      for (let n = 0; !isOver; n++) {
        const tag = `load-${lane}-${n}`
        const { value, error } = await caller.end("t.slow", { ms: 10, tag }, { timeoutMs: 10_000 })
        ends.push(value === undefined ? `${error?.code ?? ""} ${String(error?.details["outcome"])}` : "answered")
        if (value !== undefined) expect(journal.starts(tag)).toHaveLength(1)
        if (error?.details["outcome"] === "not_started") {
          expect(journal.starts(tag)).toEqual([])
          await new Promise((resolve) => setTimeout(resolve, 10))
        }
      }
    })
    for (let n = 0; n < 5; n++) {
      await back()
      const dropped = down()
      await server.restart()
      await dropped
    }
    await back()
    isOver = true
    await Promise.all(load)
    const kinds = new Set(ends)
    expect(kinds).toContain("answered")
    for (const kind of kinds) expect(["answered", "TRANSPORT_ERROR unknown", "TRANSPORT_ERROR not_started"]).toContain(kind)
    journal.expectNothingTwice()
    worker.expectWell()
  })
})
