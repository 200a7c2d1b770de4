/**
 * Work whose deadline has passed before it could begin is never begun: in the worker's queue, behind its blocked event loop, on the way.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { RawClient } from "../../fixtures/nats/raw_client.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("deadlines that pass before a call begins", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let caller: Caller
  let worker: WorkerProcess
  let journal: Journal
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    journal = new Journal(scope)
    worker = await startWorker(await packageFolder(scope), { name: "w1", url: server.url, journal, serve: { concurrency: 2, maxQueued: 20, maxPerCaller: 100 } }, scope)
    caller = await startCaller({ url: server.url }, scope)
  }, 180_000)
  afterAll(end)

  const fill = async (name: string, ms: number) => {
    const tags = [`${name}-1`, `${name}-2`]
    const ends = tags.map((tag) => caller.end("t.slow", { ms, tag }, { timeoutMs: 15_000 }))
    await Promise.all(tags.map((tag) => journal.started(tag)))
    return ends
  }

  test("in the queue of a worker: TIMEOUT by the deadline, and no handler", async () => {
    const running = await fill("long", 4_000)
    const waiting = await Promise.all(Array.from({ length: 10 }, (_, n) => caller.end("t.echo", { tag: `waits-${n}` }, { timeoutMs: 300 })))
    for (const { error, ms } of waiting) {
      expect(error?.code).toBe("TIMEOUT")
      expect(["not_started", "unknown"]).toContain(error?.details["outcome"])
      expect(ms).toBeGreaterThanOrEqual(295)
    }
    for (const { value } of await Promise.all(running)) expect(value?.data).toBe("slow is done")
    expect(await caller.data("t.echo", "after")).toBe("after")
    expect(journal.entries.filter(({ start, tag }) => start !== undefined && tag?.startsWith("waits-"))).toEqual([])
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
  })

  test("a call that waits and is stopped by its caller is never begun, and its place is free", async () => {
    const running = await fill("blocking", 5_000)
    const abort = new AbortController()
    const waiting = caller.end("t.echo", { tag: "stopped" }, { signal: abort.signal })
    await worker.healthThat(({ queued }) => queued === 1)
    abort.abort()
    expect((await waiting).error).toMatchObject({ code: "ABORTED" })
    await worker.healthThat(({ queued }) => queued === 0, 3_000)
    await Promise.all(running)
    expect(await caller.data("t.echo", "after")).toBe("after")
    expect(journal.starts("stopped")).toEqual([])
  })

  test("behind a blocked event loop: none of five late calls is begun", async () => {
    const blocking = caller.end("t.block", { ms: 3_000, tag: "block" }, { timeoutMs: 15_000 })
    await journal.started("block")
    const late = await Promise.all(Array.from({ length: 5 }, (_, n) => caller.end("t.echo", { tag: `behind-${n}` }, { timeoutMs: 300 })))
    for (const { error } of late) expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    await blocking
    expect(await caller.data("t.echo", "after")).toBe("after")
    expect(journal.entries.filter(({ start, tag }) => start !== undefined && tag?.startsWith("behind-"))).toEqual([])
    worker.expectWell()
  })

  test("behind a blocked event loop: the first calls of a new caller are not begun either", async () => {
    const blocking = caller.end("t.block", { ms: 3_000, tag: "block-new" }, { timeoutMs: 15_000 })
    await journal.started("block-new")
    const bob = await startCaller({ url: server.url, name: "bob" })
    const late = await Promise.all(Array.from({ length: 5 }, (_, n) => bob.end("t.echo", { tag: `new-${n}` }, { timeoutMs: 300 })))
    for (const { error } of late) expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    await blocking
    expect(await bob.data("t.echo", "after")).toBe("after")
    expect(journal.entries.filter(({ start, tag }) => start !== undefined && tag?.startsWith("new-"))).toEqual([])
    worker.expectWell()
  })

  test("behind a blocked event loop the calls with time left are begun, once each", async () => {
    const blocking = caller.end("t.block", { ms: 700, tag: "block-2" }, { timeoutMs: 15_000 })
    await journal.started("block-2")
    const calls = await Promise.all(Array.from({ length: 5 }, (_, n) => caller.end("t.echo", { tag: `in-time-${n}` }, { timeoutMs: 15_000 })))
    expect(calls.map(({ value }) => value?.data)).toEqual([0, 1, 2, 3, 4].map((n) => ({ tag: `in-time-${n}` })))
    await blocking
    for (const n of calls.keys()) expect(journal.starts(`in-time-${n}`)).toHaveLength(1)
  })

  test("a full queue refuses at once: RESOURCE_EXHAUSTED, not started", async () => {
    const running = await fill("full", 5_000)
    const calls = Array.from({ length: 40 }, (_, n) => caller.end("t.echo", { tag: `queue-${n}` }, { timeoutMs: 15_000 }))
    const ends = await Promise.all(calls)
    const refused = ends.flatMap(({ error, ms }, n) => (error === undefined ? [] : [{ error, ms, n }]))
    expect(refused).toHaveLength(20)
    for (const { error, ms, n } of refused) {
      expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
      expect(ms).toBeLessThan(4_000)
      expect(journal.starts(`queue-${n}`)).toEqual([])
    }
    await Promise.all(running)
    journal.expectNothingTwice()
    worker.expectWell()
  })

  test("what the caller says of its deadline and what is left of it both count, the earlier one", async () => {
    const raw = await RawClient.connect({ url: server.url })
    const request = (tag: string, more: object) => ({ v: 1, t: "call.requested", requestId: tag, operationId: "t.context", input: { tag }, ...more })
    const now = await raw.ask("ops.v1.call.alice.t.context", request("now", { deadline: Date.now() + 5_000, ttl: 5_000 }))
    expect(now.body).toMatchObject({ t: "call.responded" })
    // Sent 6 s ago by the same clock. The worker knows the time on the way as closely as the quickest request before took, and no closer.
    const passed = await raw.ask("ops.v1.call.alice.t.context", request("passed", { deadline: Date.now() - 1_000, ttl: 5_000 }))
    expect(passed.body).toMatchObject({ t: "call.error", code: "DEADLINE_EXCEEDED", details: { outcome: "not_started" } })
    const alone = await raw.ask("ops.v1.call.alice.t.context", request("alone", { deadline: Date.now() - 1 }))
    expect(alone.body).toMatchObject({ t: "call.error", code: "DEADLINE_EXCEEDED", details: { outcome: "not_started" } })
    const none = await raw.ask("ops.v1.call.alice.t.context", request("none", { deadline: Date.now() + 60_000, ttl: 0 }))
    expect(none.body).toMatchObject({ t: "call.error", code: "DEADLINE_EXCEEDED", details: { outcome: "not_started" } })
    // A caller whose clock is an hour ahead: what is left counts.
    const ahead = await raw.ask("ops.v1.call.alice.t.context", request("ahead", { deadline: Date.now() + 3_600_000, ttl: 2_000 }))
    const { left } = (ahead.body as { output: { data: { left: number } } }).output.data
    expect(left).toBeGreaterThan(500)
    expect(left).toBeLessThanOrEqual(2_000)
    // Neither: the worker has a limit of its own, never none.
    const open = await raw.ask("ops.v1.call.alice.t.context", request("open", {}))
    const own = (open.body as { output: { data: { left: number | null } } }).output.data.left
    expect(own).not.toBeNull()
    expect(own).toBeLessThanOrEqual(60_000)
    for (const tag of ["passed", "alone", "none"]) expect(journal.starts(tag)).toEqual([])
  })

  test.each<[string, object]>([
    ["a deadline that is no number", { deadline: "tomorrow" }],
    ["a deadline that is null", { deadline: null }],
    ["a time left that is negative", { ttl: -1 }],
    ["a time left that is no number", { ttl: {} }],
    ["a time left without end", { ttl: 1e308 }],
    ["a deadline without end", { deadline: 1e308, ttl: 1e308 }],
  ])("%s runs nothing for ever", async (name, more) => {
    const raw = await RawClient.connect({ url: server.url })
    raw.publish("ops.v1.call.alice.t.slow", { v: 1, t: "call.requested", requestId: name, operationId: "t.slow", input: { ms: 50, tag: name }, ...more }, { reply: raw.newReply() })
    // Refused or run within the limits of the worker: in either case it is over. Fails where neither comes.
    await raw.next(({ body: frame }) => frame?.["t"] === "call.error" || frame?.["t"] === "call.responded")
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    expect(await caller.data("t.echo", "after")).toBe("after")
    worker.expectWell()
  })
})
