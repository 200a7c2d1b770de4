import { Type } from "@sinclair/typebox"
import { setImmediate } from "node:timers/promises"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { describe, expect, test, vi } from "vitest"
import { buildCallHandler, createInProcessTransport, PendingRequestMap, type CallAnswer, type CallRequested, type CallTransport } from "../../src/call.js"
import { localEnvelope } from "../../src/envelope.js"
import type { CallError } from "../../src/error.js"
import { defineOperation, pendingDeadlines } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"

/** A transport whose worker is the test: it sees the requests and answers by hand. */
function handTransport() {
  const requests: CallRequested[] = []
  const sinks: ((event: CallAnswer) => void)[] = []
  const log: string[] = []
  const transport: CallTransport = {
    open: (request, sink) => {
      requests.push(request)
      sinks.push(sink)
      return { abort: () => log.push(`abort ${request.operationId}`), grant: (items) => log.push(`grant ${String(items)}`) }
    },
    serve: () => ({ drain: () => Promise.resolve(), close: () => Promise.resolve() }),
    status: "up",
    onStatus: () => () => undefined,
    close: () => Promise.resolve(),
  }
  return { transport, requests, sinks, log }
}

const answer = (requestId: string, data: unknown): CallAnswer => ({ type: "call.responded", requestId, output: localEnvelope(data, "t.x") })

describe("answers", () => {
  test("for unknown requests, after settlement and a second time are counted and settle nothing", async () => {
    const { transport, requests, sinks } = handTransport()
    const map = new PendingRequestMap({ transport })
    const call = map.call("t.x", 1)
    const id = requests[0]?.requestId ?? ""
    sinks[0]?.(answer("forged", "forged"))
    sinks[0]?.({ type: "call.error", requestId: "forged", code: "TIMEOUT", message: "forged" })
    expect(map.respond("forged", localEnvelope("forged", "t.x"))).toBe(false)
    expect(map.pendingCount).toBe(1)
    sinks[0]?.(answer(id, "right"))
    sinks[0]?.(answer(id, "again"))
    sinks[0]?.({ type: "call.error", requestId: id, code: "TIMEOUT", message: "late" })
    expect((await call).data).toBe("right")
    expect(map.pendingCount).toBe(0)
    expect(map.ignoredCount).toBe(5)
  })

  test("of one request's sink do not settle another request", async () => {
    const { transport, requests, sinks } = handTransport()
    const map = new PendingRequestMap({ transport })
    const one = map.call("t.x")
    const two = map.call("t.x")
    sinks[0]?.(answer(requests[1]?.requestId ?? "", "crossed"))
    expect(map.pendingCount).toBe(2)
    sinks[0]?.(answer(requests[0]?.requestId ?? "", 1))
    sinks[1]?.(answer(requests[1]?.requestId ?? "", 2))
    expect([(await one).data, (await two).data]).toEqual([1, 2])
    expect(map.ignoredCount).toBe(1)
  })

  test.each([[5], [null], [{}], [{ data: 1, meta: { source: "other" } }]])("that are no envelope (%o) end the call with PROTOCOL_ERROR", async (output) => {
    const { transport, requests } = handTransport()
    const map = new PendingRequestMap({ transport })
    const call = map.call("t.x")
    map.respond(requests[0]?.requestId ?? "", output)
    await expect(call).rejects.toMatchObject({ code: "PROTOCOL_ERROR", details: { outcome: "unknown" } })
  })

  test("can be given by hand", async () => {
    const { transport, requests, log } = handTransport()
    const map = new PendingRequestMap({ transport })
    const [responded, failed, aborted, completed] = ["a", "b", "c", "d"].map((name) => map.call(`t.${name}`).then(({ data }) => data, (error: CallError) => error.code))
    const id = (n: number) => requests[n]?.requestId ?? ""
    expect(map.respond(id(0), localEnvelope("yes", "t.a"))).toBe(true)
    expect(map.emitError(id(1), "OUT_OF_STOCK", "none left")).toBe(true)
    expect(map.abort(id(2), "why")).toBe(true)
    expect(map.complete(id(3))).toBe(true)
    expect([await responded, await failed, await aborted, await completed]).toEqual(["yes", "OUT_OF_STOCK", "ABORTED", "PROTOCOL_ERROR"])
    expect(map.abort(id(2))).toBe(false)
    // Each call has room for one item: of a subscription it takes the first.
    expect(log).toEqual(["grant 1", "grant 1", "grant 1", "grant 1", "abort t.c"])
  })

  test("with isError in their meta are answers", async () => {
    const { transport, requests } = handTransport()
    const map = new PendingRequestMap({ transport })
    const call = map.call("t.x")
    const meta = { source: "mcp", server: "s", tool: "t", isError: true, content: [], dataFrom: "content", conformance: "untyped" }
    map.respond(requests[0]?.requestId ?? "", { data: [], meta })
    expect((await call).meta).toEqual(meta)
  })

  test("of a subscription that skip an item end it; repeated items are counted and not given twice", async () => {
    const { transport, requests, sinks } = handTransport()
    const map = new PendingRequestMap({ transport })
    const items = map.subscribe("t.x")
    const first = items.next()
    const id = requests[0]?.requestId ?? ""
    const send = (seq: number) => sinks[0]?.({ type: "call.responded", requestId: id, output: localEnvelope(seq, "t.x"), seq })
    send(0)
    send(0)
    send(1)
    expect(((await first).value as { data: unknown }).data).toBe(0)
    expect(((await items.next()).value as { data: unknown }).data).toBe(1)
    expect(map.ignoredCount).toBe(1)
    const next = items.next()
    send(3)
    await expect(next).rejects.toMatchObject({ code: "PROTOCOL_ERROR" })
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })
})

describe("the map", () => {
  test("refuses more calls than it may hold, and sends nothing of them", async () => {
    const { transport, requests } = handTransport()
    const map = new PendingRequestMap({ transport, maxPending: 2 })
    const waiting = [map.call("t.x"), map.call("t.x")].map((call) => call.catch((error: CallError) => error.code))
    await expect(map.call("t.x")).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { limit: 2, value: 2, outcome: "not_started" } })
    expect(requests).toHaveLength(2)
    await map.close()
    expect(await Promise.all(waiting)).toEqual(["TRANSPORT_ERROR", "TRANSPORT_ERROR"])
  })

  test("closed, rejects all that waits and takes no more", async () => {
    const { transport, log } = handTransport()
    const map = new PendingRequestMap({ transport })
    const calls = [map.call("t.a"), map.call("t.b")].map((call) => call.catch((error: unknown) => error))
    const item = map.subscribe("t.c").next().catch((error: unknown) => error)
    await map.close()
    await map.close()
    for (const error of [...(await Promise.all(calls)), await item]) expect(error).toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    await expect(map.call("t.d")).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "not_started" } })
    expect(log.filter((line) => line.startsWith("abort"))).toEqual(["abort t.a", "abort t.b", "abort t.c"])
    expect(map.pendingCount).toBe(0)
    expect(pendingDeadlines()).toBe(0)
  })

  test("an idle limit ends a call in silence; progress extends it, and the deadline it cannot move", async () => {
    const { transport, requests, sinks } = handTransport()
    const map = new PendingRequestMap({ transport })
    await expect(map.call("t.silent", null, { idleTimeoutMs: 40 })).rejects.toMatchObject({ code: "TIMEOUT", details: { idleTimeoutMs: 40 } })
    // A clock of the test's own: to a machine that stands still for 100 ms, progress in time would look like silence.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
    try {
      const begun = Date.now()
      const call = map.call("t.busy", null, { idleTimeoutMs: 100, deadline: begun + 300 })
      let endedAfter: number | undefined
      const ended = call.catch((error: unknown) => {
        endedAfter = Date.now() - begun
        return error
      })
      for (let step = 0; step < 12; step++) {
        sinks[1]?.({ type: "call.progress", requestId: requests[1]?.requestId ?? "", progress: 1 })
        await vi.advanceTimersByTimeAsync(30)
      }
      expect(endedAfter).toBeGreaterThanOrEqual(300)
      expect(await ended).toMatchObject({ code: "TIMEOUT", details: { deadline: begun + 300 } })
    } finally {
      // The clock of deadlines is armed for the idle limit of the ended call, and must not wait in a clock that is gone.
      await vi.runOnlyPendingTimersAsync()
      vi.useRealTimers()
    }
  })

  test("sends what the context says and its own request ids", async () => {
    const { transport, requests } = handTransport()
    const map = new PendingRequestMap({ transport })
    const context = {
      identity: { id: "a", scopes: [] },
      deadline: Date.now() + 1_000,
      idleTimeoutMs: 500,
      requestId: "mine",
      parentRequestId: "parent",
      traceparent: "00-x",
      metadata: { k: 1 },
    }
    const one = map.call("t.x", { a: 1 }, context).catch(() => undefined)
    const two = map.call("t.x", undefined, { requestId: "mine" }).catch(() => undefined)
    expect(requests[0]).toEqual({ type: "call.requested", operationId: "t.x", input: { a: 1 }, ...context })
    expect(requests[1]?.requestId).not.toBe("mine")
    expect(requests[1]?.input).toBeNull()
    await map.close()
    await Promise.all([one, two])
  })

  test("100,000 calls, a third aborted and a third timing out, leave nothing behind", async () => {
    const registry = new OperationRegistry()
    const anything = Type.Unknown()
    registry.register(defineOperation({ namespace: "t", name: "answer", inputSchema: anything, outputSchema: anything, handler: async (n) => { await setImmediate(); return n } }))
    registry.register(defineOperation({ namespace: "t", name: "never", inputSchema: anything, outputSchema: anything, handler: () => new Promise(() => undefined) }))
    const transport = createInProcessTransport()
    buildCallHandler({ registry, transport })
    const map = new PendingRequestMap({ transport })
    const batch = async (size: number) => {
      const counts: Record<string, number> = {}
      const count = (key: string) => (counts[key] = (counts[key] ?? 0) + 1)
      const abort = new AbortController()
      const calls = Array.from({ length: size }, (_, n) => {
        const call =
          n % 3 === 0 ? map.call("t.answer", n) : n % 3 === 1 ? map.call("t.never", n, { signal: abort.signal }) : map.call("t.never", n, { timeoutMs: 20 })
        return call.then(() => count("ok"), (error: CallError) => count(error.code))
      })
      await setImmediate()
      abort.abort()
      await Promise.all(calls)
      return counts
    }
    setFlagsFromString("--expose_gc")
    // What the flag puts into a new context is the collector.
    const collect = runInNewContext("gc") as () => void
    // The registry lets go of stopped calls a turn after the map has, and the collector frees nothing that the same turn has used.
    const settled = async () => {
      for (let turn = 0; turn < 10; turn++) await setImmediate()
      collect()
      return process.memoryUsage().heapUsed
    }
    await batch(4_998)
    const before = await settled()
    for (let n = 0; n < 20; n++) expect(await batch(4_998)).toEqual({ ok: 1_666, ABORTED: 1_666, TIMEOUT: 1_666 })
    let after = await settled()
    for (const end = performance.now() + 10_000; after - before >= 5e6 && performance.now() < end; ) after = await settled()
    expect(map.pendingCount).toBe(0)
    expect(pendingDeadlines()).toBe(0)
    expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBeLessThanOrEqual(1)
    expect(after - before).toBeLessThan(5e6)
  }, 180_000)
})
