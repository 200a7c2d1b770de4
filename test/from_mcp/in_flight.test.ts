import { describe, expect, test } from "vitest"
import { InFlight } from "../../src/from_mcp/in_flight.js"
import { pendingDeadlines } from "../../src/operation.js"

const call = { subject: 'Server "s", tool "t"' }
const soon = () => Date.now() + 5_000

describe("InFlight", () => {
  test("lets as many go as the limit says, and the others in the order they came", async () => {
    const gate = new InFlight(2)
    expect([gate.enter(soon(), undefined, call), gate.enter(soon(), undefined, call)]).toEqual([undefined, undefined])
    const order: number[] = []
    const waiting = [1, 2, 3].map((number) => {
      const turn = gate.enter(soon(), undefined, call)
      return (turn ?? Promise.reject(new Error("it should wait"))).then(() => order.push(number))
    })
    for (let left = 0; left < 3; left++) gate.leave()
    await Promise.all(waiting)
    expect(order).toEqual([1, 2, 3])
    gate.leave()
    gate.leave()
    expect(gate.enter(soon(), undefined, call)).toBeUndefined()
  })

  test("a waiting call whose deadline passes leaves as not started, and costs no place", async () => {
    const gate = new InFlight(1)
    void gate.enter(soon(), undefined, call)
    await expect(gate.enter(Date.now() + 20, undefined, call)).rejects.toMatchObject({ code: "TIMEOUT", details: { outcome: "not_started", limit: 1 } })
    const next = gate.enter(soon(), undefined, call)
    gate.leave()
    await next
  })

  test("a waiting call that is stopped leaves as not started, and so does one that was stopped before", async () => {
    const gate = new InFlight(1)
    void gate.enter(soon(), undefined, call)
    const controller = new AbortController()
    const waiting = gate.enter(soon(), { signal: controller.signal }, call)
    controller.abort("why")
    await expect(waiting).rejects.toMatchObject({ code: "ABORTED", details: { outcome: "not_started" }, cause: "why" })
    await expect(gate.enter(soon(), { signal: AbortSignal.abort() }, call)).rejects.toMatchObject({ code: "ABORTED" })
    expect(pendingDeadlines()).toBe(0)
  })
})
