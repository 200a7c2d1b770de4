/**
 * Workers that are told to go: SIGTERM loses none of the calls that they have taken, and none that come meanwhile where another worker is.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker, type WorkerScript } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("workers that are told to go", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let library = ""
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    library = await packageFolder(scope)
  }, 180_000)
  afterAll(end)

  const start = (journal: Journal, name: string, more: Partial<WorkerScript> = {}) => startWorker(library, { name, url: server.url, journal, ...more })

  test("SIGTERM with calls and a stream in flight: all of them finish, new calls are not started, the process leaves with 0", async () => {
    const journal = new Journal()
    const worker = await start(journal, "w1")
    const caller = await startCaller({ url: server.url })
    const calls = Array.from({ length: 20 }, (_, n) => caller.end("t.slow", { ms: 1_000, tag: `call-${n}` }, { timeoutMs: 10_000 }))
    const stream = caller.items("t.count", { to: 30, ms: 30, tag: "stream" }, { timeoutMs: 10_000 })
    const long = caller.end("t.big", { bytes: 3_000_000, tag: "big" }, { timeoutMs: 10_000 })
    await Promise.all([...calls.map((_, n) => journal.started(`call-${n}`)), journal.started("stream"), journal.started("big")])
    worker.kill("SIGTERM")
    // It takes nothing new from the moment on that it has begun to go.
    let refused
    while (refused === undefined) refused = (await caller.end("t.echo", { tag: "new" }, { timeoutMs: 15_000 })).error
    expect(refused).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    for (const { value } of await Promise.all(calls)) expect(value?.data).toBe("slow is done")
    expect(await stream).toEqual({ items: Array.from({ length: 30 }, (_, n) => n), error: undefined })
    expect((await long).value?.data).toHaveLength(3_000_000)
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    expect(worker.stderr).toBe("")
    journal.expectNothingTwice()
  })

  test("calls that wait in its queue are finished as well", async () => {
    const journal = new Journal()
    const worker = await start(journal, "w1", { serve: { concurrency: 2, maxQueued: 100, maxPerCaller: 100 } })
    const caller = await startCaller({ url: server.url })
    const calls = Array.from({ length: 12 }, (_, n) => caller.end("t.slow", { ms: 1_000, tag: `call-${n}` }, { timeoutMs: 30_000 }))
    await worker.healthThat(({ inFlight, queued }) => inFlight === 2 && queued === 10)
    worker.kill("SIGTERM")
    const ends = await Promise.all(calls)
    // None is lost: finished, or refused with nothing started.
    ends.forEach(({ value, error }, n) => {
      if (value === undefined) {
        expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
        expect(journal.starts(`call-${n}`)).toEqual([])
      } else expect(value.data).toBe("slow is done")
    })
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    journal.expectNothingTwice()
  })

  test("under constant load one of two goes, and not one call fails", { timeout: 120_000 }, async () => {
    const journal = new Journal()
    const first = await start(journal, "w1")
    const second = await start(journal, "w2")
    const caller = await startCaller({ url: server.url })
    let isOver = false
    let answered = 0
    const failed: unknown[] = []
    const lanes = Array.from({ length: 32 }, async (_, lane) => {
      for (let n = 0; !isOver; n++) {
        const { value, error } = await caller.end("t.slow", { ms: 5, tag: `${lane}-${n}` }, { timeoutMs: 30_000 })
        if (value === undefined) failed.push(error)
        else answered++
      }
    })
    while (answered < 300) await new Promise((resolve) => setTimeout(resolve, 10))
    first.kill("SIGTERM")
    expect(await first.ended).toEqual({ code: 0, signal: null })
    const at = answered
    while (answered < at + 300) await new Promise((resolve) => setTimeout(resolve, 10))
    isOver = true
    await Promise.all(lanes)
    expect(failed).toEqual([])
    journal.expectNothingTwice()
    second.expectWell()
  })

  test("what takes longer than the limit is stopped, and told so", async () => {
    const journal = new Journal()
    const worker = await start(journal, "w1", { drainMs: 3_000 })
    const caller = await startCaller({ url: server.url })
    const call = caller.end("t.slow", { ms: 30_000, tag: "long" }, { timeoutMs: 25_000 })
    const quick = caller.end("t.slow", { ms: 200, tag: "quick" }, { timeoutMs: 15_000 })
    await Promise.all([journal.started("long"), journal.started("quick")])
    worker.kill("SIGTERM")
    expect((await quick).value?.data).toBe("slow is done")
    const { error, ms } = await call
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    expect(ms).toBeLessThan(15_000)
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    await journal.entry(({ abort, tag }) => abort === "slow" && tag === "long")
  })

  test("draining twice, closing while draining and draining what is closed all end", async () => {
    const journal = new Journal()
    const worker = await start(journal, "w1")
    await Promise.all([worker.drain(), worker.drain()])
    await worker.close()
    await worker.drain()
    worker.expectWell()
  })

  test("a request that came in parts when the worker began to go is finished, or not started", async () => {
    const journal = new Journal()
    const worker = await start(journal, "w1")
    const caller = await startCaller({ url: server.url })
    const calls = Array.from({ length: 4 }, (_, n) => caller.end("t.digest", { text: "x".repeat(6_000_000), tag: `long-${n}` }, { timeoutMs: 30_000 }))
    await new Promise((resolve) => setTimeout(resolve, 60))
    worker.kill("SIGTERM")
    const ends = await Promise.all(calls)
    ends.forEach(({ value, error }, n) => {
      if (value !== undefined) expect(value.data).toMatchObject({ length: 6_000_000 })
      else if (error?.details["outcome"] === "not_started") expect(journal.starts(`long-${n}`)).toEqual([])
      else throw new Error("A call was lost", { cause: error })
    })
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    journal.expectNothingTwice()
  })
})
