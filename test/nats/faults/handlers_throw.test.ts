/**
 * Handlers that throw in every way: each call ends with one error, and the worker serves on as if nothing had been.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("handlers that throw in a worker", () => {
  const { scope, end } = openScope()
  let caller: Caller
  let worker: WorkerProcess
  let journal: Journal
  beforeAll(async () => {
    const server = await natsServer()
    scope(() => server.stop())
    journal = new Journal(scope)
    worker = await startWorker(await packageFolder(scope), { name: "w1", url: server.url, journal }, scope)
    caller = await startCaller({ url: server.url }, scope)
  }, 180_000)
  afterAll(end)

  const served = async () => {
    expect(await caller.data("t.echo", { still: "here" })).toEqual({ still: "here" })
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    worker.expectWell()
    journal.expectNothingTwice()
  }

  test.each([
    ["sync", "EXECUTION_ERROR"],
    ["async", "EXECUTION_ERROR"],
    ["thenable", "EXECUTION_ERROR"],
    ["after progress", "EXECUTION_ERROR"],
    ["long message", "EXECUTION_ERROR"],
    ["getter", "EXECUTION_ERROR"],
    ["endless details", "EXECUTION_ERROR"],
    ["text", "UNKNOWN_ERROR"],
    ["async text", "UNKNOWN_ERROR"],
    ["undefined", "UNKNOWN_ERROR"],
    ["null", "UNKNOWN_ERROR"],
    ["frozen", "UNKNOWN_ERROR"],
    ["declared", "OUT_OF_STOCK"],
    ["declared INTERNAL", "INTERNAL"],
    ["own code", "RESOURCE_EXHAUSTED"],
  ])("thrown %s: %s", async (how, code) => {
    const { error, ms } = await caller.end("t.throwing", { how, tag: how })
    expect(error?.code).toBe(code)
    expect(error?.details["outcome"]).not.toBe("not_started")
    expect(ms).toBeLessThan(8_000)
    expect(journal.starts(how)).toHaveLength(1)
    expect(journal.entries.filter((entry) => "unknown" in entry)).toEqual([])
    await served()
  })

  test("the details of a declared error arrive", async () => {
    expect(await caller.error("t.throwing", { how: "declared" })).toMatchObject({ code: "OUT_OF_STOCK", message: "None left", details: { left: 0 } })
  })

  test("a promise that is settled and then rejected and thrown at is one answer", async () => {
    expect(await caller.data("t.throwing", { how: "twice" })).toBe("first")
    await served()
  })

  test.each(["nan", "function", "bigint", "undefined", "date"])("an answer that JSON cannot say (%s) is one EXECUTION_ERROR", async (what) => {
    expect(await caller.error("t.unsendable", { what })).toMatchObject({ code: "EXECUTION_ERROR" })
    await served()
  })

  test("a stream that throws in the middle gives what it had and one error", async () => {
    const { items, error } = await caller.items("t.failing", { after: 40 })
    expect(items).toEqual(Array.from({ length: 40 }, (_, n) => n))
    expect(error).toMatchObject({ code: "EXECUTION_ERROR" })
    await served()
  })

  test("1,000 throws at once, of all kinds, among 1,000 calls that succeed", async () => {
    const kinds = ["sync", "async", "text", "null", "declared", "thenable"]
    const throwing = Array.from({ length: 1_000 }, (_, n) => caller.end("t.throwing", { how: kinds[n % kinds.length] }))
    const fine = Array.from({ length: 1_000 }, (_, n) => caller.end("t.echo", n))
    const codes = ["EXECUTION_ERROR", "EXECUTION_ERROR", "UNKNOWN_ERROR", "UNKNOWN_ERROR", "OUT_OF_STOCK", "EXECUTION_ERROR"]
    expect((await Promise.all(throwing)).map(({ error }) => error?.code)).toEqual(Array.from({ length: 1_000 }, (_, n) => codes[n % codes.length]))
    expect((await Promise.all(fine)).map(({ value }) => value?.data)).toEqual(Array.from({ length: 1_000 }, (_, n) => n))
    await served()
  })

  test("an abort and a deadline reach the handler that runs, once each", async () => {
    const abort = new AbortController()
    const aborted = caller.end("t.slow", { ms: 30_000, tag: "aborted" }, { signal: abort.signal, timeoutMs: 10_000 })
    const late = caller.end("t.slow", { ms: 30_000, tag: "deadline" }, { timeoutMs: 2_000 })
    await Promise.all([journal.started("aborted"), journal.started("deadline")])
    abort.abort()
    expect((await aborted).error).toMatchObject({ code: "ABORTED", details: { outcome: "unknown" } })
    expect((await late).error).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    for (const tag of ["aborted", "deadline"]) {
      await journal.entry((entry) => entry.abort === "slow" && entry.tag === tag)
      expect(journal.entries.filter((entry) => entry.abort !== undefined && entry.tag === tag)).toHaveLength(1)
    }
    await served()
  })

  test("a handler that ignores its abort costs its caller nothing, and its late answer nobody", async () => {
    const { error, ms } = await caller.end("t.stubborn", { ms: 4_000, tag: "deaf" }, { timeoutMs: 1_500 })
    expect(error).toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    expect(ms).toBeGreaterThanOrEqual(1_495)
    await journal.entry((entry) => entry.end === "stubborn" && entry.tag === "deaf")
    await served()
  })
})
