/**
 * Payloads around and above the limit of the server: whole both ways up to the cap, refused by name above it, and no end goes deaf.
 */
import { createHash } from "node:crypto"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const MIB = 1024 * 1024
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
/** No two parts of it are equal, so that parts in a wrong order are seen. */
const textOf = (length: number) => Array.from({ length: Math.ceil(length / 16) }, (_, n) => n.toString(36).padStart(16, "é")).join("").slice(0, length)

describeWithNATS("payloads that are too large for one message", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let caller: Caller
  let worker: WorkerProcess
  let journal: Journal
  let library = ""
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    journal = new Journal(scope)
    library = await packageFolder(scope)
    worker = await startWorker(library, { name: "w1", url: server.url, journal }, scope)
    caller = await startCaller({ url: server.url, map: { json: "off" } }, scope)
  }, 180_000)
  afterAll(end)

  const served = async () => {
    expect(await caller.data("t.echo", { still: "here" })).toEqual({ still: "here" })
    await worker.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    worker.expectWell()
    journal.expectNothingTwice()
  }

  test.each([
    ["1 MiB less 20 kB", MIB - 20_000],
    ["1 MiB less 16 kB", MIB - 16 * 1024],
    ["1 MiB less 300 bytes", MIB - 300],
    ["1 MiB less 100 bytes", MIB - 100],
    ["1 MiB", MIB],
    ["1 MiB and a byte", MIB + 1],
    ["1.5 MB", 1_500_000],
    ["5 MB", 5_000_000],
    ["12 MB", 12_000_000],
  ])("%s arrive whole in a request, and whole in an answer", { timeout: 120_000 }, async (_, bytes) => {
    const text = "x".repeat(bytes)
    expect(await caller.data("t.digest", { text }, { timeoutMs: 12_000 })).toEqual({ length: bytes, sha256: sha256(text) })
    const back = await caller.data("t.big", { bytes }, { timeoutMs: 12_000 })
    expect(typeof back === "string" && back === text).toBe(true)
    await served()
  })

  test("5 MB of different text in signs of several bytes go both ways in one call", { timeout: 120_000 }, async () => {
    const text = textOf(3_000_000)
    const back = await caller.data("t.echo", { text }, { timeoutMs: 12_000 })
    expect(sha256((back as { text: string }).text)).toBe(sha256(text))
    await served()
  })

  test("a request above the cap is RESOURCE_EXHAUSTED, with nothing started", async () => {
    const { error } = await caller.end("t.digest", { text: "x".repeat(17 * MIB), tag: "above" }, { timeoutMs: 12_000 })
    expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started", limit: 16 * MIB } })
    await served()
    expect(journal.starts("above")).toEqual([])
  })

  test("an answer above the cap is RESOURCE_EXHAUSTED, and it is said that the handler ran", async () => {
    const { error } = await caller.end("t.big", { bytes: 17 * MIB, tag: "large" }, { timeoutMs: 12_000 })
    expect(error?.code).toBe("RESOURCE_EXHAUSTED")
    expect(error?.details).toMatchObject({ limit: 16 * MIB })
    expect(error?.details["outcome"]).not.toBe("not_started")
    expect(journal.starts("large")).toHaveLength(1)
    await served()
  })

  test("a stream goes on until its item above the cap, and ends there with RESOURCE_EXHAUSTED", async () => {
    const { items, error } = await caller.items("t.oversized", { bytes: 17 * MIB }, { timeoutMs: 12_000 })
    expect(items).toEqual(["small"])
    expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED" })
    await served()
  })

  test("items of 3 MB in a stream are whole and in order", { timeout: 120_000 }, async () => {
    const { items, error } = await caller.items("t.oversized", { bytes: 3_000_000 }, { timeoutMs: 12_000 })
    expect(error).toBeUndefined()
    expect(items.map((item) => (item as string).length)).toEqual([5, 3_000_000, 11])
    await served()
  })

  test("long and short calls at once do not mix", { timeout: 120_000 }, async () => {
    const texts = Array.from({ length: 6 }, (_, n) => String(n).repeat(2_000_000))
    const long = texts.map((text) => caller.data("t.digest", { text }, { timeoutMs: 15_000 }))
    const back = texts.map((text) => caller.data("t.echo", text, { timeoutMs: 15_000 }))
    const short = Array.from({ length: 100 }, (_, n) => caller.data("t.echo", n, { timeoutMs: 15_000 }))
    expect(await Promise.all(long)).toEqual(texts.map((text) => ({ length: 2_000_000, sha256: sha256(text) })))
    expect((await Promise.all(back)).map((text) => sha256(String(text)))).toEqual(texts.map(sha256))
    expect(await Promise.all(short)).toEqual(Array.from({ length: 100 }, (_, n) => n))
    await served()
  })

  test("a long request that is stopped on its way leaves nothing at the worker", async () => {
    const abort = new AbortController()
    const call = caller.end("t.digest", { text: "x".repeat(12_000_000), tag: "stopped" }, { signal: abort.signal, timeoutMs: 10_000 })
    setImmediate(() => abort.abort())
    expect((await call).error).toMatchObject({ code: "ABORTED" })
    await served()
  })

  test("a long request to two workers at once, or to one that is gone, is never started twice", { timeout: 120_000 }, async () => {
    const second = await startWorker(library, { name: "w2", url: server.url, journal })
    const text = "y".repeat(5_000_000)
    const ends = await Promise.all(Array.from({ length: 6 }, (_, n) => caller.end("t.digest", { text, tag: `shared-${n}` }, { timeoutMs: 15_000 })))
    for (const [n, { value }] of ends.entries()) {
      expect(value?.data).toEqual({ length: 5_000_000, sha256: sha256(text) })
      expect(journal.starts(`shared-${n}`)).toHaveLength(1)
    }
    second.expectWell()
    second.kill("SIGTERM")
    await second.ended
    await served()
  })

  test("calls whose bytes wait are bounded: above the limit they are refused, not started, and room comes back", { timeout: 120_000 }, async () => {
    const small = await startCaller({ url: server.url, name: "small", transport: { maxOpenBytes: 8 * MIB, maxMessageBytes: 4 * MIB } })
    const text = "z".repeat(MIB)
    for (const round of [1, 2]) {
      const ends = await Promise.all(Array.from({ length: 20 }, (_, n) => small.end("t.digest", { text, tag: `bytes-${round}-${n}` }, { timeoutMs: 10_000 })))
      ends.forEach(({ value, error }, n) => {
        // 8 of 1 MiB and their wrapping do not fit: 7 do.
        if (n < 7) expect(value?.data).toMatchObject({ length: MIB })
        else expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
        expect(journal.starts(`bytes-${round}-${n}`)).toHaveLength(n < 7 ? 1 : 0)
      })
    }
    await served()
  })

  test("a worker's own limit on the bytes of requests that are still coming in holds too, for all callers together", { timeout: 120_000 }, async () => {
    const narrow = await startWorker(library, { name: "narrow", url: server.url, journal, expose: ["n.*"], operations: [{ namespace: "n" }], serve: { maxOpenBytes: 8 * MIB, maxMessageBytes: 4 * MIB } })
    const text = "z".repeat(3_000_000)
    const ends = await Promise.all(Array.from({ length: 8 }, (_, n) => caller.end("n.digest", { text, tag: `narrow-${n}` }, { timeoutMs: 10_000 })))
    ends.forEach(({ value, error }, n) => {
      if (value !== undefined) expect(value.data).toMatchObject({ length: 3_000_000 })
      else expect(error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
      expect(journal.starts(`narrow-${n}`)).toHaveLength(value === undefined ? 0 : 1)
    })
    expect(ends.filter(({ value }) => value !== undefined).length).toBeGreaterThanOrEqual(2)
    expect((await caller.end("n.digest", { text: "x".repeat(5 * MIB) }, { timeoutMs: 10_000 })).error).toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
    await narrow.healthThat(({ inFlight, queued }) => inFlight === 0 && queued === 0)
    expect(await caller.data("n.digest", { text }, { timeoutMs: 10_000 })).toMatchObject({ length: 3_000_000 })
    narrow.expectWell()
    await served()
  })
})
