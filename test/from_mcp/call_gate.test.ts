/**
 * The gate of a server: how many go, who waits, and when nobody is let through.
 */
import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { CallGate, type CallGateSettings } from "../../src/from_mcp/call_gate.js"
import { pendingDeadlines } from "../../src/operation.js"

const call = { id: "s.t", subject: 'Server "s", tool "t"' }
const soon = () => Date.now() + 30_000
const lost = () => new CallError("TRANSPORT_ERROR", "lost", { details: { kind: "closed", outcome: "unknown" } })

function gateOf(settings: Partial<CallGateSettings> = {}) {
  let recoveries = 0
  const closed = new AbortController()
  const gate = new CallGate({ server: "s", maxInFlight: 2, maxQueued: 3, breaker: { failures: 3, probeAfterMs: 1_500 }, closed: closed.signal, recovered: () => recoveries++, ...settings })
  return { gate, closed, recoveries: () => recoveries }
}

describe("the count", () => {
  test("lets as many go as the limit says, and the others in the order they came", async () => {
    const { gate } = gateOf()
    expect([gate.enter(call, soon(), undefined), gate.enter(call, soon(), undefined), gate.isIdle]).toEqual([undefined, undefined, false])
    const order: number[] = []
    const waiting = [1, 2, 3].map((number) => (gate.enter(call, soon(), undefined) ?? Promise.reject(new Error("it should wait"))).then(() => order.push(number)))
    for (let left = 0; left < 3; left++) gate.leave()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
    gate.leave()
    gate.leave()
    expect(gate.isIdle).toBe(true)
    expect(gate.enter(call, soon(), undefined)).toBeUndefined()
  })

  test("refuses what does not fit into the queue, and what waits there too long or is stopped leaves it; none was started", async () => {
    const { gate } = gateOf({ maxInFlight: 1, maxQueued: 2 })
    void gate.enter(call, soon(), undefined)
    const abort = new AbortController()
    const late = gate.enter(call, Date.now() + 30, undefined)
    const stopped = gate.enter(call, soon(), { signal: abort.signal })
    await expect(gate.enter(call, soon(), undefined)).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { limit: 3, outcome: "not_started" } })
    abort.abort("why")
    await expect(stopped).rejects.toMatchObject({ code: "ABORTED", details: { outcome: "not_started" }, cause: "why" })
    await expect(late).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
    const next = gate.enter(call, soon(), undefined)
    gate.leave()
    await next
    expect(pendingDeadlines()).toBe(0)
  })
})

describe("failures in a row", () => {
  test("close the gate; later one call is the probe, and its answer opens the gate for all", async () => {
    const { gate, recoveries } = gateOf()
    for (let time = 0; time < 3; time++) {
      await gate.enter(call, soon(), undefined)
      gate.failed(lost(), gate.round)
      gate.leave()
    }
    const refused: unknown = await gate.enter(call, soon(), undefined)?.catch((error: unknown) => error)
    expect(refused).toMatchObject({ code: "TRANSPORT_ERROR", details: { kind: "breaker_open", failures: 3, outcome: "not_started" } })
    const { retryAfterMs } = (refused as CallError).details as { retryAfterMs: number }
    expect(retryAfterMs).toBeGreaterThan(0)
    expect(retryAfterMs).toBeLessThanOrEqual(1_500)
    expect(gate.isIdle).toBe(true)
    await expect.poll(() => gate.enter(call, soon(), undefined)?.then(() => "through", () => "refused"), { interval: 5 }).toBe("through")
    await expect(gate.enter(call, soon(), undefined)).rejects.toMatchObject({ details: { kind: "breaker_open" } })
    gate.answered()
    gate.leave()
    expect([gate.enter(call, soon(), undefined), recoveries()]).toEqual([undefined, 1])
  })

  test("a probe that fails closes the gate again", async () => {
    const { gate } = gateOf({ breaker: { failures: 1, probeAfterMs: 1_500 } })
    gate.failed(lost(), gate.round)
    await expect.poll(() => gate.enter(call, soon(), undefined)?.then(() => "through", () => "refused"), { interval: 5 }).toBe("through")
    gate.failed(lost(), gate.round)
    gate.leave()
    await expect(gate.enter(call, soon(), undefined)).rejects.toMatchObject({ details: { kind: "breaker_open" } })
  })

  test("a probe that comes to no end gives way to the next", async () => {
    const { gate } = gateOf({ breaker: { failures: 1, probeAfterMs: 30 } })
    gate.failed(lost(), gate.round)
    for (let time = 0; time < 2; time++) {
      await expect.poll(() => gate.enter(call, soon(), undefined)?.then(() => "through", () => "refused"), { interval: 5 }).toBe("through")
    }
  })

  test("of calls that were under way together count once, however many there were", async () => {
    const { gate } = gateOf()
    const { round } = gate
    for (let time = 0; time < 64; time++) gate.failed(lost(), round)
    await gate.enter(call, soon(), undefined)
    for (let time = 0; time < 2; time++) gate.failed(lost(), gate.round)
    await expect(gate.enter(call, soon(), undefined)).rejects.toMatchObject({ details: { failures: 3 } })
  })

  test.each<[string, CallError]>([
    ["an answer between them", new CallError("PROTOCOL_ERROR", "no", { details: { rpcCode: -32602, outcome: "failed" } })],
    ["a refusal of the server between them", new CallError("TRANSPORT_ERROR", "no", { details: { kind: "http", status: 429, outcome: "not_started" } })],
    ["a want of credentials between them", new CallError("AUTH_REQUIRED", "no", { details: { status: 401, outcome: "not_started" } })],
  ])("with %s are not in a row", async (_name, between) => {
    const { gate } = gateOf()
    for (const error of [lost(), lost(), between, lost(), lost()]) gate.failed(error, gate.round)
    await expect(gate.enter(call, soon(), undefined) ?? Promise.resolve()).resolves.toBeUndefined()
  })

  test.each<[string, CallError]>([
    ["a deadline", new CallError("TIMEOUT", "late", { details: { outcome: "unknown" } })],
    ["a caller who stops", new CallError("ABORTED", "stop", { details: { outcome: "unknown" } })],
    ["a size limit", new CallError("RESOURCE_EXHAUSTED", "large", { details: { outcome: "unknown" } })],
  ])("%s is no failure of the connection, and no answer either", async (_name, error) => {
    const { gate } = gateOf()
    for (let time = 0; time < 10; time++) gate.failed(error, gate.round)
    expect(gate.enter(call, soon(), undefined)).toBeUndefined()
    for (const one of [lost(), lost(), error, lost()]) gate.failed(one, gate.round)
    await expect(gate.enter(call, soon(), undefined)).rejects.toMatchObject({ details: { kind: "breaker_open" } })
  })

  test("never close a gate whose breaker is switched off", async () => {
    const { gate } = gateOf({ breaker: false })
    for (let time = 0; time < 100; time++) gate.failed(lost(), gate.round)
    await gate.enter(call, soon(), undefined)
    expect(gate.isIdle).toBe(false)
  })
})

describe("a rest", () => {
  test("is waited for by all who can, bounded like the queue", async () => {
    const { gate } = gateOf({ maxInFlight: 1, maxQueued: 2 })
    gate.rest(1_500)
    const order: string[] = []
    const first = gate.enter(call, soon(), undefined)?.then(() => order.push("first"))
    const second = gate.enter(call, soon(), undefined)?.then(() => order.push("second"))
    await expect(gate.enter(call, soon(), undefined)).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { outcome: "not_started" } })
    await expect(gate.enter(call, Date.now() + 10, undefined)).rejects.toMatchObject({ details: { status: 429, outcome: "not_started" } })
    await first
    expect(order).toEqual(["first"])
    gate.leave()
    await second
    gate.leave()
    gate.answered()
    expect(gate.enter(call, soon(), undefined)).toBeUndefined()
    expect(pendingDeadlines()).toBe(0)
  })
})
