import { Type, type TSchema } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { defineOperation, pendingDeadlines, type OperationContext } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"

const anything = Type.Unknown()

function registryOf(handler: (input: unknown, context: OperationContext) => AsyncIterable<unknown>, inputSchema: TSchema = anything) {
  const registry = new OperationRegistry()
  registry.register(defineOperation({ namespace: "t", name: "s", type: "subscription", inputSchema, outputSchema: anything, handler }))
  return registry
}

async function* numbers(): AsyncGenerator<number> {
  for (let n = 0; ; n++) yield await Promise.resolve(n)
}

describe("a subscription", () => {
  test("begins with the first item that is asked for, and ends with the generator", async () => {
    let began = 0
    const registry = registryOf(async function* () {
      began++
      yield await Promise.resolve("a")
      yield "b"
    })
    const items = registry.subscribe("t.s")
    expect(began).toBe(0)
    const seen: unknown[] = []
    for await (const { data, meta } of items) {
      seen.push(data)
      expect(meta).toMatchObject({ source: "local", operationId: "t.s" })
    }
    expect(seen).toEqual(["a", "b"])
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  test("items asked for at once come in order", async () => {
    const items = registryOf(numbers).subscribe("t.s")
    const seen = await Promise.all([items.next(), items.next(), items.next()])
    expect(seen.map(({ value }) => (value as { data: unknown }).data)).toEqual([0, 1, 2])
    await items.return?.()
  })

  test("an error of the generator ends it with its code", async () => {
    const registry = registryOf(async function* () {
      yield await Promise.resolve(1)
      throw new TypeError("boom")
    })
    const items = registry.subscribe("t.s")
    expect((await items.next()).value).toMatchObject({ data: 1 })
    await expect(items.next()).rejects.toMatchObject({ code: "EXECUTION_ERROR", message: "boom" })
    expect(await items.next()).toEqual({ done: true, value: undefined })
  })

  test("input and access are checked before it begins", async () => {
    let began = 0
    const registry = registryOf(
      async function* () {
        began++
        yield await Promise.resolve(1)
      },
      Type.Object({ a: Type.Number() }),
    )
    await expect(registry.subscribe("t.s", { a: "x" }).next()).rejects.toMatchObject({ code: "VALIDATION_ERROR" })
    await expect(registry.subscribe("t.none").next()).rejects.toMatchObject({ code: "OPERATION_NOT_FOUND" })
    expect(began).toBe(0)
  })

  test("leaving early, an abort and a deadline each run the generator's finally", async () => {
    const cleaned: string[] = []
    const named = (name: string) =>
      registryOf(async function* () {
        try {
          yield* numbers()
        } finally {
          cleaned.push(name)
        }
      })
    for await (const { data } of named("left").subscribe("t.s")) if (data === 1) break
    const abort = new AbortController()
    const aborted = named("aborted").subscribe("t.s", null, { signal: abort.signal })
    await aborted.next()
    abort.abort("enough")
    await expect(aborted.next()).rejects.toMatchObject({ code: "ABORTED", cause: "enough" })
    const late = named("late").subscribe("t.s", null, { timeoutMs: 300 })
    await expect(
      (async () => {
        for await (const { data } of late) expect(data).toBeTypeOf("number")
      })(),
    ).rejects.toMatchObject({ code: "TIMEOUT" })
    await Promise.resolve()
    expect(cleaned).toEqual(["left", "aborted", "late"])
    expect(pendingDeadlines()).toBe(0)
  })

  test("a generator that hangs is left, its signal is aborted, and the consumer is told", async () => {
    let signalled = false
    const registry = registryOf(async function* (_input, { signal }) {
      signal?.addEventListener("abort", () => (signalled = true))
      yield await new Promise<number>(() => undefined)
    })
    await expect(registry.subscribe("t.s", null, { timeoutMs: 300 }).next()).rejects.toMatchObject({ code: "TIMEOUT" })
    expect(signalled).toBe(true)
  })

  test("that is called gives its first item and is ended; an operation that is subscribed to gives its one", async () => {
    let cleaned = false
    const registry = registryOf(async function* () {
      try {
        yield* numbers()
      } finally {
        cleaned = true
      }
    })
    registry.register(defineOperation({ namespace: "t", name: "one", inputSchema: anything, outputSchema: anything, handler: () => "only" }))
    expect((await registry.execute("t.s")).data).toBe(0)
    expect(cleaned).toBe(true)
    const seen: unknown[] = []
    for await (const { data } of registry.subscribe("t.one")) seen.push(data)
    expect(seen).toEqual(["only"])
  })
})
