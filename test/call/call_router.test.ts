import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { CallRouter, Limiter } from "../../src/call.js"
import { localEnvelope } from "../../src/envelope.js"
import { defineOperation, pendingDeadlines } from "../../src/operation.js"
import { OperationRegistry, type CallTarget } from "../../src/registry.js"

const named = (name: string): CallTarget => ({
  execute: (id) => Promise.resolve(localEnvelope(name, id)),
  subscribe: async function* (id) {
    yield await Promise.resolve(localEnvelope(name, id))
  },
})

describe("CallRouter", () => {
  test.each([
    ["fs.read", "exact"],
    ["fs.write", "fs"],
    ["fs.admin_reset", "fs admin"],
    ["db.read", "fallback"],
  ])("sends %s to the route %s, whatever the order of the routes", async (id, target) => {
    const routes = [
      { match: "fs.*", target: named("fs") },
      { match: "fs.read", target: named("exact") },
      { match: "fs.admin_*", target: named("fs admin") },
    ]
    for (const order of [routes, [...routes].reverse()]) {
      const router = new CallRouter({ routes: order, fallback: named("fallback") })
      expect((await router.execute(id)).data).toBe(target)
      for await (const { data } of router.subscribe(id)) expect(data).toBe(target)
    }
  })

  test("without a route the operation is not found, and nothing is started", async () => {
    await expect(new CallRouter({ routes: [] }).execute("a.b")).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND", details: { outcome: "not_started" } })
  })

  test("calls beyond a route's bound wait, are refused at their deadline without running, and when the queue is full", async () => {
    let running = 0
    let most = 0
    const finish: (() => void)[] = []
    const target: CallTarget = {
      execute: (id) => {
        most = Math.max(most, ++running)
        return new Promise((resolve) =>
          finish.push(() => {
            running--
            resolve(localEnvelope(null, id))
          }),
        )
      },
      subscribe: () => named("x").subscribe(""),
    }
    const router = new CallRouter({ routes: [{ match: "*", target, maxInFlight: 2, maxQueued: 2 }] })
    const first = [router.execute("a.1"), router.execute("a.2")]
    const late = router.execute("a.3", null, { timeoutMs: 200 })
    const patient = router.execute("a.4")
    await expect(router.execute("a.5")).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED", details: { limit: 4, outcome: "not_started" } })
    await expect(late).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started" } })
    expect(finish).toHaveLength(2)
    finish[0]?.()
    await first[0]
    finish[1]?.()
    await first[1]
    expect(finish).toHaveLength(3)
    finish[2]?.()
    await patient
    expect(most).toBe(2)
    expect(pendingDeadlines()).toBe(0)
  })

  test("the deadline counts from the router's door: time in the queue is not given back", async () => {
    const registry = new OperationRegistry()
    let seen: number | undefined
    registry.register(
      defineOperation({ namespace: "t", name: "x", inputSchema: Type.Unknown(), outputSchema: Type.Unknown(), handler: (_, { deadline }) => void (seen = deadline) }),
    )
    const router = new CallRouter({ routes: [{ match: "*", target: registry }] })
    const before = Date.now()
    await router.execute("t.x", null, { timeoutMs: 30_000 })
    expect(seen).toBeGreaterThanOrEqual(before + 30_000)
    expect(seen).toBeLessThanOrEqual(Date.now() + 30_000)
  })
})

describe("Limiter", () => {
  test("lets a waiting caller go who stops waiting, and starts the others in order", async () => {
    const limiter = new Limiter({ maxInFlight: 1, name: "the test" })
    const order: number[] = []
    await limiter.acquire("a.0", Infinity)
    const abort = new AbortController()
    const one = limiter.run(() => Promise.resolve(order.push(1)), { operationId: "a.1", deadline: Infinity })
    const two = limiter.run(() => Promise.resolve(order.push(2)), { operationId: "a.2", deadline: Infinity, context: { signal: abort.signal } })
    const three = limiter.run(() => Promise.resolve(order.push(3)), { operationId: "a.3", deadline: Infinity })
    abort.abort("no more")
    await expect(two).rejects.toMatchObject({ code: "ABORTED", cause: "no more", details: { outcome: "not_started" } })
    expect(limiter.queued).toBe(2)
    limiter.release()
    await Promise.all([one, three])
    expect(order).toEqual([1, 3])
    expect([limiter.inFlight, limiter.queued]).toEqual([0, 0])
  })
})
