/**
 * Nobody serves what is called: said at once, with nothing started.
 */
import { afterAll, beforeAll, expect, test } from "vitest"
import { Journal } from "../../fixtures/nats/journal.js"
import { startCaller } from "../../fixtures/nats/caller.js"
import { packageFolder, startWorker } from "../../fixtures/nats/worker.js"
import { describeWithNATS, natsServer, type NATSServer } from "../../fixtures/nats_server.js"
import { openScope } from "../../fixtures/servers/scope.js"

describeWithNATS("calls that no worker serves", () => {
  const { scope, end } = openScope()
  let server: NATSServer
  let library = ""
  beforeAll(async () => {
    server = await natsServer()
    scope(() => server.stop())
    library = await packageFolder(scope)
  }, 180_000)
  afterAll(end)

  test("with no worker at all a call ends at once, not started", async () => {
    const { end: call } = await startCaller({ url: server.url })
    const { error, ms } = await call("t.echo", 1)
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    // Long before the deadline of 15 s: the server says so by itself.
    expect(ms).toBeLessThan(5_000)
  })

  test("200 calls at once all end so, and nothing is left of them", async () => {
    const { end: call, map } = await startCaller({ url: server.url })
    const ends = await Promise.all(Array.from({ length: 200 }, () => call("t.echo", "x".repeat(1_000))))
    for (const { error } of ends) expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expect(map.pendingCount).toBe(0)
  })

  test("a subscription ends so as well", async () => {
    const { items } = await startCaller({ url: server.url })
    expect(await items("t.count", { to: 3 })).toMatchObject({ items: [], error: { code: "TRANSPORT_ERROR", details: { outcome: "not_started" } } })
  })

  test("a request that needs several messages ends so as well, before its parts are sent", async () => {
    const { end: call } = await startCaller({ url: server.url })
    const { error, ms } = await call("t.digest", { text: "x".repeat(5_000_000) })
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expect(ms).toBeLessThan(5_000)
  })

  test("a worker of another namespace never sees the call", async () => {
    const journal = new Journal()
    const worker = await startWorker(library, { name: "w1", url: server.url, journal })
    const { end: call, data } = await startCaller({ url: server.url })
    expect(await data("t.echo", "here")).toBe("here")
    const { error } = await call("elsewhere.echo", 1)
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expect(journal.entries.filter(({ start }) => start !== undefined)).toHaveLength(1)
    worker.expectWell()
  })

  test("an operation that the worker of its namespace does not have, or does not expose, is not found and not started", async () => {
    const journal = new Journal()
    const worker = await startWorker(library, { name: "w1", url: server.url, journal, expose: ["t.echo"] })
    const { error } = await startCaller({ url: server.url })
    for (const id of ["t.missing", "t.sum", "t.constructor", "t.__proto__", "t.toString"]) {
      expect(await error(id, { a: 1, b: 2 })).toMatchObject({ code: "OPERATION_NOT_FOUND", details: { outcome: "not_started" } })
    }
    expect(journal.entries.filter(({ start }) => start !== undefined)).toEqual([])
    worker.expectWell()
  })

  test("names of operations that are no subject, or too long for one, end before anything is sent", async () => {
    const { error } = await startCaller({ url: server.url })
    for (const id of ["", "noname", ".", "t.", ".x", "a b.c", "t*.x", ">.x", `t.${"n".repeat(600)}`, `t.${"\u{1F600}".repeat(100)}`]) {
      expect(await error(id, 1), id).toMatchObject({ details: { outcome: "not_started" } })
    }
  })

  test("names with every kind of sign reach the operation of that name", async () => {
    const journal = new Journal()
    const worker = await startWorker(library, { name: "w1", url: server.url, journal, operations: [{ namespace: "t", only: ["echo"] }] })
    const { error } = await startCaller({ url: server.url })
    for (const id of ["t.a.b", "t.a/b c", "t.*", "t.>", "t.=61", "t.é", "t.\u{1F600}", "t.\n", "t.\u0000"]) {
      expect(await error(id, 1), id).toMatchObject({ code: "OPERATION_NOT_FOUND", details: { operationId: id, outcome: "not_started" } })
    }
    worker.expectWell()
  })

  test("the last worker goes: calls are answered until then, and refused at once from then on", async () => {
    const journal = new Journal()
    const worker = await startWorker(library, { name: "w1", url: server.url, journal })
    const { data, end: call } = await startCaller({ url: server.url })
    expect(await data("t.echo", 1)).toBe(1)
    worker.kill("SIGTERM")
    expect(await worker.ended).toEqual({ code: 0, signal: null })
    const { error, ms } = await call("t.echo", 2)
    expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expect(ms).toBeLessThan(5_000)
    journal.expectNothingTwice()
  })
})
