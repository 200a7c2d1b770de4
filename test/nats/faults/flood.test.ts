/**
 * One caller floods a worker: its calls above the limits are refused, not started; the others are served; nobody's memory grows without end.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { startCallerProcess } from "../../fixtures/nats/caller_process.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { RawClient } from "../../fixtures/nats/raw_client.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("a flood by one caller", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let alice: Caller
  let worker: WorkerProcess
  let journal: Journal
  let library = ""
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    journal = new Journal(scope)
    library = await packageFolder(scope)
    worker = await startWorker(library, { name: "w1", url: server.url, journal, serve: { concurrency: 16, maxQueued: 200, maxPerCaller: 8 } }, scope)
    alice = await startCaller({ url: server.url }, scope)
  }, 180_000)
  afterAll(end)

  test("12,000 calls at once: each ends once, refused ones ran nothing, alice is served meanwhile, memory is bounded", { timeout: 120_000 }, async () => {
    const { rss } = await worker.health()
    const bob = await startCallerProcess(library, { url: server.url, caller: "bob", flood: { operationId: "t.slow", input: { ms: 20, tag: "flood" }, count: 12_000 } })
    let isOver = false
    const slowest = { ms: 0, calls: 0 }
    const meanwhile = (async () => {
      while (!isOver) {
        const { value, error, ms } = await alice.end("t.echo", { tag: "alice" }, { timeoutMs: 5_000 })
        expect(error).toBeUndefined()
        expect(value?.data).toEqual({ tag: "alice" })
        slowest.ms = Math.max(slowest.ms, ms)
        slowest.calls++
      }
    })()
    const { ends } = (await bob.line) as { ends: Record<string, number> }
    isOver = true
    await meanwhile
    const { answered = 0 } = ends
    expect(Object.values(ends).reduce((sum, n) => sum + n, 0)).toBe(12_000)
    // 2,000 do not enter the map of the caller; of the others most do not enter the worker.
    expect(ends["RESOURCE_EXHAUSTED not_started"]).toBeGreaterThan(10_000)
    for (const how of Object.keys(ends)) expect(["answered", "RESOURCE_EXHAUSTED not_started", "TIMEOUT unknown", "TIMEOUT not_started"]).toContain(how)
    expect(answered).toBeGreaterThan(0)
    expect(journal.starts("flood").length).toBeGreaterThanOrEqual(answered)
    expect(journal.starts("flood").length).toBeLessThanOrEqual(answered + (ends["TIMEOUT unknown"] ?? 0))
    expect(slowest.calls).toBeGreaterThan(3)
    journal.expectNothingTwice()
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    expect((await worker.health()).rss - rss).toBeLessThan(150_000_000)
    worker.expectWell()
  })

  test("10,000 requests of a client that keeps no limits at all: at most 8 of one caller run or wait, every one is told", { timeout: 120_000 }, async () => {
    const raw = await RawClient.connect({ url: server.url, caller: "mallory" })
    const { rss } = await worker.health()
    const before = journal.entries.length
    for (let n = 0; n < 10_000; n++) {
      raw.publish("ops.v1.call.mallory.t.slow", { v: 1, t: "call.requested", requestId: `m${n}`, operationId: "t.slow", input: { ms: 4_000, tag: "mallory" }, ttl: 6_000 }, { reply: `_INBOX.mallory.raw.m${n}` })
      if (n % 1_000 === 0) await raw.flush()
    }
    await raw.flush()
    const { error } = await alice.end("t.echo", "meanwhile", { timeoutMs: 5_000 })
    expect(error).toBeUndefined()
    // Counted as they come, a few times a second: looking for one among thousands again and again would be a flood of its own.
    let told = 0
    for (let read = 0, lastTry = Date.now() + 15_000; told < 9_900; await new Promise((resolve) => setTimeout(resolve, 100))) {
      for (; read < raw.inbox.length; read++) if (raw.inbox[read]?.body?.["code"] === "RESOURCE_EXHAUSTED") told++
      if (Date.now() > lastTry) throw new Error(`${told} were told, of ${raw.inbox.length} messages; the worker is ${JSON.stringify(await worker.health())}`)
    }
    for (const { body } of raw.inbox.filter((message) => message.body?.["t"] === "call.error").slice(0, 50)) {
      expect(body).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
    }
    expect(journal.entries.slice(before).filter(({ start, tag }) => start !== undefined && tag === "mallory").length).toBeLessThanOrEqual(16)
    expect((await worker.health()).rss - rss).toBeLessThan(200_000_000)
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0, 12_000)
    worker.expectWell()
  })

  test("2,000 requests for a catalogue at once hold up nobody's calls", { timeout: 120_000 }, async () => {
    const raw = await RawClient.connect({ url: server.url, caller: "curious" })
    const { rss } = await worker.health()
    for (let n = 0; n < 2_000; n++) raw.publish("ops.v1.catalog.w1.curious", { v: 1 }, { reply: `_INBOX.curious.raw.c${n}` })
    await raw.flush()
    for (let n = 0; n < 10; n++) expect((await alice.end("t.echo", n, { timeoutMs: 5_000 })).value?.data).toBe(n)
    expect((await worker.health()).rss - rss).toBeLessThan(150_000_000)
    worker.expectWell()
  })

  test("with the limits that a worker has by itself, one caller's slow calls do not keep another waiting for its deadline", { timeout: 120_000 }, async () => {
    const slow = await startWorker(library, { name: "slow", url: server.url, journal, expose: ["s.*"], operations: [{ namespace: "s" }], serve: { concurrency: 4, maxQueued: 200 } })
    const bob = await startCaller({ url: server.url, name: "bob" })
    const flood = Array.from({ length: 500 }, () => bob.end("s.slow", { ms: 300, tag: "slow-flood" }, { timeoutMs: 8_000 }))
    await journal.started("slow-flood")
    const ends = await Promise.all(Array.from({ length: 3 }, () => alice.end("s.echo", "mine", { timeoutMs: 3_000 })))
    for (const { value } of ends) expect(value?.data).toBe("mine")
    for (const { error } of await Promise.all(flood)) {
      if (error !== undefined) expect(["RESOURCE_EXHAUSTED not_started", "TIMEOUT unknown", "TIMEOUT not_started"]).toContain(`${error.code} ${String(error.details["outcome"])}`)
    }
    await slow.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    slow.expectWell()
  })

  test("20 callers that each want everything share it: each of them is served", { timeout: 120_000 }, async () => {
    const callers = await Promise.all(Array.from({ length: 20 }, (_, n) => startCaller({ url: server.url, name: `caller-${n}` })))
    const ends = await Promise.all(callers.map((caller) => Promise.all(Array.from({ length: 30 }, () => caller.end("t.slow", { ms: 5 }, { timeoutMs: 8_000 })))))
    for (const own of ends) {
      expect(own.filter(({ value }) => value !== undefined).length).toBeGreaterThan(0)
      for (const { error } of own) if (error !== undefined) expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
    }
    worker.expectWell()
  })
})
