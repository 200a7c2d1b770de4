import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { CallAgain, type CallAgainOptions } from "../../src/nats/call_again.js"

const error = (code: string, details: Record<string, unknown>) => new CallError(code, "no", { details })
const NOBODY = error("TRANSPORT_ERROR", { kind: "no_worker", outcome: "not_started" })
const LOST = error("TRANSPORT_ERROR", { kind: "lost", outcome: "unknown" })
const FULL = error("RESOURCE_EXHAUSTED", { worker: "w1", outcome: "not_started", retryAfterMs: 10 })
const STALE = error("OPERATION_NOT_FOUND", { worker: "w1", outcome: "not_started" })

function again(more: Partial<CallAgainOptions> = {}): CallAgain {
  return new CallAgain({ isUp: () => true, isRepeatable: () => false, onRefused: () => undefined, ...more })
}

/** Attempts that fail so, one after the other, and then succeed. */
function failing(...errors: readonly Error[]) {
  let count = 0
  return {
    attempt: () => {
      const failure = errors[count++]
      return failure === undefined ? Promise.resolve("done") : Promise.reject(failure)
    },
    count: () => count,
  }
}

describe("a call that failed", () => {
  test.each([
    ["nobody served it", NOBODY],
    ["its worker was full", FULL],
    ["its worker had another definition", STALE],
  ])("is made again where %s", async (_, failure) => {
    const calls = failing(failure)
    await expect(again().run("a.b", undefined, 60_000, calls.attempt)).resolves.toBe("done")
    expect(calls.count()).toBe(2)
  })

  test.each([
    ["it may have run", LOST],
    ["the input does not fit", error("VALIDATION_ERROR", { worker: "w1", outcome: "not_started" })],
    ["the caller may not", error("ACCESS_DENIED", { worker: "w1", outcome: "not_started" })],
    ["its deadline passed", error("TIMEOUT", { outcome: "not_started" })],
    ["it was stopped", error("ABORTED", { outcome: "not_started" })],
    ["a limit of this process was reached", error("RESOURCE_EXHAUSTED", { outcome: "not_started" })],
    ["nothing is known of the operation here", error("OPERATION_NOT_FOUND", { outcome: "not_started" })],
    ["the handler failed", error("EXECUTION_ERROR", { worker: "w1", outcome: "unknown" })],
    ["what was thrown is no error of a call", new TypeError("a fault")],
  ])("is not made again where %s", async (_, failure) => {
    const calls = failing(failure)
    await expect(again().run("a.b", undefined, 60_000, calls.attempt)).rejects.toBe(failure)
    expect(calls.count()).toBe(1)
  })

  test("is made again although it may have run, where that does no harm", async () => {
    const calls = failing(LOST)
    await expect(again({ isRepeatable: (id) => id === "a.b" }).run("a.b", undefined, 60_000, calls.attempt)).resolves.toBe("done")
    const other = failing(LOST)
    await expect(again({ isRepeatable: (id) => id === "a.b" }).run("a.c", undefined, 60_000, other.attempt)).rejects.toBe(LOST)
  })

  test("is not made again while there is no connection", async () => {
    const calls = failing(NOBODY)
    await expect(again({ isUp: () => false }).run("a.b", undefined, 60_000, calls.attempt)).rejects.toBe(NOBODY)
  })

  test("is made four times at most", async () => {
    const calls = failing(FULL, FULL, FULL, FULL, FULL)
    await expect(again().run("a.b", undefined, 60_000, calls.attempt)).rejects.toBe(FULL)
    expect(calls.count()).toBe(4)
  })

  test("is not made again when the deadline would have passed by then", async () => {
    const calls = failing(error("RESOURCE_EXHAUSTED", { worker: "w1", outcome: "not_started", retryAfterMs: 60_000 }))
    const call = again().run("a.b", { timeoutMs: 400 }, 60_000, calls.attempt)
    // At once: before any timer, however short it is.
    const timer = new Promise((resolve) => setTimeout(resolve, 0, "a timer came first"))
    await expect(Promise.race([call, timer])).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" })
    expect(calls.count()).toBe(1)
  })

  test("keeps the deadline that it began with", async () => {
    const deadlines: (number | undefined)[] = []
    const calls = failing(NOBODY)
    const before = Date.now()
    await again().run("a.b", { timeoutMs: 5_000 }, 60_000, (context) => {
      deadlines.push(context?.deadline)
      return calls.attempt()
    })
    expect(deadlines[0]).toBeUndefined()
    expect(deadlines[1]).toBeGreaterThanOrEqual(before + 5_000)
    expect(deadlines[1]).toBeLessThanOrEqual(Date.now() + 5_000)
  })

  test("is not made again after its caller has stopped it, which is said at once", async () => {
    const controller = new AbortController()
    const calls = failing(error("RESOURCE_EXHAUSTED", { worker: "w1", outcome: "not_started", retryAfterMs: 1_000 }))
    const call = again().run("a.b", { signal: controller.signal }, 60_000, calls.attempt)
    controller.abort("enough")
    await expect(call).rejects.toMatchObject({ code: "ABORTED", details: { outcome: "not_started" }, cause: "enough" })
    expect(calls.count()).toBe(1)
  })

  test("does not say that it was not started when an attempt before the last may have run", async () => {
    const calls = failing(LOST, NOBODY, NOBODY, NOBODY)
    await expect(again({ isRepeatable: () => true }).run("a.b", undefined, 60_000, calls.attempt)).rejects.toMatchObject({ code: "TRANSPORT_ERROR", details: { outcome: "unknown" } })
    const controller = new AbortController()
    const lost = failing(LOST)
    const call = again({ isRepeatable: () => true }).run("a.b", { signal: controller.signal }, 60_000, lost.attempt)
    await Promise.resolve()
    controller.abort()
    await expect(call).rejects.toMatchObject({ code: "ABORTED", details: { outcome: "unknown" } })
  })

  test("is made again within a tenth of the calls, and ten more", async () => {
    const one = again()
    let attempts = 0
    const calls = Array.from({ length: 1_000 }, () =>
      one.run("a.b", undefined, 60_000, () => {
        attempts++
        return Promise.reject(STALE)
      }),
    )
    const results = await Promise.allSettled(calls)
    expect(results.every(({ status }) => status === "rejected")).toBe(true)
    // The reserve alone: all calls began before any of them failed.
    expect(attempts).toBe(1_010)
    for (let index = 0; index < 50; index++) await one.run("a.b", undefined, 60_000, () => Promise.resolve())
    attempts = 0
    await Promise.allSettled(
      Array.from({ length: 10 }, () =>
        one.run("a.b", undefined, 60_000, () => {
          attempts++
          return Promise.reject(FULL)
        }),
      ),
    )
    // Fifty calls and these ten have earned six.
    expect(attempts - 10).toBeGreaterThanOrEqual(5)
    expect(attempts - 10).toBeLessThanOrEqual(6)
  })

  test("goes, after a worker was lost, to one that was heard since", async () => {
    const times: (number | undefined)[] = []
    const calls = failing(NOBODY, LOST)
    const before = Date.now()
    await again({ isRepeatable: () => true }).run("a.b", undefined, 60_000, (_, since) => {
      times.push(since)
      return calls.attempt()
    })
    expect(times.slice(0, 2)).toEqual([undefined, undefined])
    expect(times[2]).toBeGreaterThanOrEqual(before)
  })

  test("tells which worker did not take it", async () => {
    const told: unknown[] = []
    const calls = failing(STALE, error("TRANSPORT_ERROR", { kind: "no_worker", worker: "w2", outcome: "not_started" }), error("TRANSPORT_ERROR", { kind: "lost", worker: "w3", outcome: "unknown" }))
    await again({ isRepeatable: () => true, onRefused: (...refusal) => told.push(refusal) }).run("a.b", undefined, 60_000, calls.attempt)
    expect(told).toEqual([
      ["w1", "a.b", false],
      ["w2", "a.b", true],
      ["w3", "a.b", false],
    ])
  })
})
