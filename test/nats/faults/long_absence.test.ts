/**
 * The server is away for longer than a client library usually waits, or answers nothing though its connections stay open.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { startCaller } from "../../fixtures/nats/caller.js"
import { Journal } from "../../fixtures/nats/journal.js"
import { packageFolder, startWorker } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("a server that is away for long", () => {
  const { scope, end } = openScope()
  let library = ""
  beforeAll(async () => {
    library = await packageFolder(scope)
  }, 180_000)
  afterAll(end)

  test("after 15 vain tries both ends come back by themselves", { timeout: 120_000 }, async () => {
    const server = await natsServer()
    scope(() => server.stop())
    const journal = new Journal()
    const worker = await startWorker(library, { name: "w1", url: server.url, journal })
    const caller = await startCaller({ url: server.url })
    expect(await caller.data("t.echo", 1)).toBe(1)
    let tries = 0
    const tired = (async () => {
      for await (const { type } of caller.connection.status()) if (type === "reconnecting" && ++tries === 15) return
    })()
    server.kill()
    await tired
    expect((await caller.error("t.echo", 2)).details).toMatchObject({ outcome: "not_started" })
    expect(caller.connection.isClosed()).toBe(false)
    await server.restart()
    const lastTry = Date.now() + 10_000
    while ((await caller.end("t.echo", 3, { timeoutMs: 1_000 })).value === undefined) {
      expect(Date.now()).toBeLessThan(lastTry)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    expect(caller.transport.status).toBe("up")
    worker.expectWell()
  })

  test("a server that is paused: calls end by their deadlines, the watchdog sees it, and all is well when it goes on", { timeout: 120_000 }, async () => {
    const server = await natsServer()
    scope(() => server.stop())
    const journal = new Journal()
    const worker = await startWorker(library, { name: "w1", url: server.url, journal, serve: { watchdogMs: 500 } })
    const caller = await startCaller({ url: server.url, transport: { watchdogMs: 500 } })
    expect(await caller.data("t.echo", 1)).toBe(1)
    const downs: string[] = []
    const wentDown = new Promise<void>((resolve) => {
      caller.transport.onStatus((status) => {
        downs.push(status)
        if (status === "down") resolve()
      })
    })
    server.pause()
    const ends = await Promise.all(Array.from({ length: 5 }, (_, n) => caller.end("t.echo", { tag: `paused-${n}` }, { timeoutMs: 1_000 })))
    for (const { error } of ends) expect(error?.details["outcome"]).toMatch(/^(unknown|not_started)$/)
    await wentDown
    expect((await caller.error("t.echo", 2, { timeoutMs: 1_000 })).details).toMatchObject({ outcome: "not_started" })
    server.resume()
    const lastTry = Date.now() + 10_000
    while ((await caller.end("t.echo", 3, { timeoutMs: 1_000 })).value === undefined) {
      expect(Date.now()).toBeLessThan(lastTry)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    // What lay in the sockets meanwhile was past its deadline.
    expect(journal.entries.filter(({ start, tag }) => start !== undefined && tag?.startsWith("paused-"))).toEqual([])
    worker.expectWell()
  })
})
