/**
 * Consumers of a stream that are slow, that stop, or that leave: the worker makes no more than the window, and stops when it should.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller, type Caller } from "../../fixtures/nats/caller.js"
import { startCallerProcess } from "../../fixtures/nats/caller_process.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker, type WorkerProcess } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

const WINDOW = 32

describeWithNATS("slow consumers of a stream", () => {
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
    caller = await startCaller({ url: server.url }, scope)
  }, 180_000)
  afterAll(end)

  const made = async (tag: string) => Number(await caller.data("t.made", { of: tag }))

  test("the worker is never more than the window ahead of a slow reader", async () => {
    let taken = 0
    for await (const { data } of caller.map.subscribe("t.endless", { tag: "slow" }, { timeoutMs: 40_000 })) {
      expect(data).toBe(taken++)
      if (taken % 20 === 0) expect((await made("slow")) - taken).toBeLessThanOrEqual(WINDOW)
      if (taken === 200) break
    }
    const { made: total = Infinity } = await journal.entry((entry) => entry.end === "endless" && entry.tag === "slow")
    expect(total).toBeLessThanOrEqual(200 + WINDOW)
    await worker.healthThat(({ inFlight }) => inFlight === 0)
  })

  test("a reader that stops holds the worker at the window, with 300 kB items too, and others are served meanwhile", async () => {
    const items = caller.map.subscribe("t.endless", { tag: "held", bytes: 300_000 }, { timeoutMs: 15_000 })
    await items.next()
    let before = -1
    // It has come to rest when it makes no more.
    for (let now = 0; now !== before; ) {
      before = now
      await new Promise((resolve) => setTimeout(resolve, 200))
      now = await made("held")
    }
    expect(before).toBeLessThanOrEqual(1 + WINDOW)
    expect(await caller.data("t.echo", "meanwhile")).toBe("meanwhile")
    await items.return?.()
    await journal.entry((entry) => entry.end === "endless" && entry.tag === "held")
  })

  test("a consumer process that is stopped costs the worker a window, not its memory", { timeout: 120_000 }, async () => {
    const bob = await startCallerProcess(library, { url: server.url, caller: "bob", subscribe: ["t.endless", { tag: "bob", bytes: 200_000 }, { timeoutMs: 6_000 }], read: 5 })
    await bob.line
    bob.kill("SIGSTOP")
    const { rss } = await worker.health()
    await new Promise((resolve) => setTimeout(resolve, 1_500))
    expect(await made("bob")).toBeLessThanOrEqual(5 + WINDOW)
    expect(await caller.data("t.echo", "meanwhile")).toBe("meanwhile")
    expect((await worker.health()).rss - rss).toBeLessThan(60_000_000)
    bob.kill("SIGCONT")
    // Its deadline ends it, whatever becomes of bob.
    await journal.entry((entry) => entry.end === "endless" && entry.tag === "bob")
    await worker.healthThat(({ inFlight }) => inFlight === 0)
    worker.expectWell()
  })

  test.each<[string, (items: AsyncIterableIterator<unknown>) => Promise<unknown>]>([
    ["return()", (items) => Promise.resolve(items.return?.())],
    [
      "a throw in the loop",
      async (items) => {
        const broken = async () => {
          for await (const _ of items) throw new Error("no more")
        }
        await expect(broken()).rejects.toThrow("no more")
      },
    ],
  ])("%s ends the generator in the worker", async (name, leave) => {
    const tag = `left by ${name}`
    const items = caller.map.subscribe("t.endless", { tag }, { timeoutMs: 15_000 })
    await items.next()
    await items.next()
    await leave(items)
    await journal.entry((entry) => entry.end === "endless" && entry.tag === tag)
    expect(caller.map.pendingCount).toBe(0)
    await worker.healthThat(({ inFlight }) => inFlight === 0)
  })

  test("a stream that nobody reads ends at its deadline, at both ends", async () => {
    const items = caller.map.subscribe("t.endless", { tag: "unread" }, { timeoutMs: 2_500 })
    await items.next()
    await journal.entry((entry) => entry.end === "endless" && entry.tag === "unread")
    await expect(
      (async () => {
        for (;;) if ((await items.next()).done === true) return "ended"
      })(),
    ).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "unknown" } })
    expect(caller.map.pendingCount).toBe(0)
  })

  test("20 streams at once, half of them left early, are each in order and all end", { timeout: 120_000 }, async () => {
    const streams = Array.from({ length: 20 }, async (_, n) => {
      const items: unknown[] = []
      for await (const { data } of caller.map.subscribe("t.count", { to: 300, tag: `many-${n}` }, { timeoutMs: 15_000 })) {
        items.push(data)
        if (n % 2 === 0 && items.length === 50) break
      }
      expect(items).toEqual(Array.from({ length: n % 2 === 0 ? 50 : 300 }, (__, at) => at))
    })
    await Promise.all(streams)
    await worker.healthThat(({ inFlight }) => inFlight === 0)
    journal.expectNothingTwice()
    worker.expectWell()
  })
})
