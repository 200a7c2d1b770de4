import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { CallError } from "../src/error.js"
import {
  atDeadline,
  defineOperation,
  isNamespace,
  markValidatesInput,
  operationId,
  parseOperationId,
  pendingDeadlines,
  resolveDeadline,
  toNamespace,
  validatesInput,
} from "../src/operation.js"

describe("names", () => {
  test.each([
    ["a.b", { namespace: "a", name: "b" }],
    ["a.b.c", { namespace: "a", name: "b.c" }],
    ["my-server_1.读取/x y", { namespace: "my-server_1", name: "读取/x y" }],
    ["a.__proto__", { namespace: "a", name: "__proto__" }],
    ["a.", undefined],
    [".b", undefined],
    ["ab", undefined],
    ["", undefined],
    ["a b.c", undefined],
  ])("the id %s reads as %o", (id, parts) => {
    expect(parseOperationId(id)).toEqual(parts)
  })

  test("an id is namespace and name, and comes apart again", () => {
    expect(operationId({ namespace: "fs", name: "read.text" })).toBe("fs.read.text")
  })

  test("a namespace with other characters is refused with a remedy", () => {
    expect(() => operationId({ namespace: "my server", name: "x" })).toThrow(
      expect.objectContaining({ code: "CONFIGURATION_ERROR", details: { remedy: 'name it "my_server"' } }) as CallError,
    )
    expect(() => operationId({ namespace: "a", name: "" })).toThrow(CallError)
  })

  test.each([
    ["@scope/server x", "_scope_server_x"],
    ["plain", "plain"],
    ["", "_"],
    ["读取", "_"],
  ])("toNamespace(%j) is %j", (text, namespace) => {
    expect(toNamespace(text)).toBe(namespace)
    expect(isNamespace(namespace)).toBe(true)
  })
})

describe("defineOperation", () => {
  const definition = { namespace: "math", name: "add", inputSchema: Type.Object({ a: Type.Number() }), outputSchema: Type.Number() }

  test("fills version, type and description and freezes the operation", () => {
    const operation = defineOperation({ ...definition, handler: ({ a }) => a + 1 })
    expect({ version: operation.version, type: operation.type, description: operation.description }).toEqual({
      version: "1.0.0",
      type: "mutation",
      description: "",
    })
    expect(Object.isFrozen(operation)).toBe(true)
    expect(operation.handler({ a: 1 }, {})).toBe(2)
  })

  test("refuses a handler that is no function", () => {
    // @ts-expect-error the handler must be a function
    expect(() => defineOperation({ ...definition, handler: 5 })).toThrow(/"math.add" is no function/)
  })
})

test("the mark of a handler that validates its input is seen on that handler alone", () => {
  const marked = markValidatesInput(() => 1)
  expect(validatesInput(marked)).toBe(true)
  expect(validatesInput(() => 1)).toBe(false)
  expect(Object.keys(marked)).toEqual([])
})

describe("deadlines", () => {
  test.each([
    [undefined, 1_060],
    [{ timeoutMs: 10 }, 1_010],
    [{ deadline: 1_005 }, 1_005],
    [{ deadline: 5_000 }, 1_060],
    [{ deadline: 5_000, timeoutMs: 100 }, 1_100],
    [{ deadline: 900 }, 900],
  ])("%o at 1000 with a default of 60 ms ends at %i", (context, end) => {
    expect(resolveDeadline(context, 60, 1_000)).toBe(end)
  })

  test("run once their time has come, in any order, and never early", async () => {
    const start = Date.now()
    const ends = await Promise.all(
      [60, 5, 30].map((ms) => new Promise<number>((resolve) => atDeadline(start + ms, () => resolve(Date.now() - start - ms)))),
    )
    for (const late of ends) expect(late).toBeGreaterThanOrEqual(0)
    expect(pendingDeadlines()).toBe(0)
  })

  test("a cancelled one does not run and leaves nothing", async () => {
    let ran = 0
    const cancel = atDeadline(Date.now() + 5, () => ran++)
    cancel()
    cancel()
    await new Promise<void>((resolve) => atDeadline(Date.now() + 40, resolve))
    expect(ran).toBe(0)
    expect(pendingDeadlines()).toBe(0)
  })

  test("times beyond 2^31 ms and infinity wait without running", async () => {
    let ran = 0
    const far = atDeadline(Date.now() + 2 ** 32, () => ran++)
    const never = atDeadline(Infinity, () => ran++)
    await new Promise<void>((resolve) => atDeadline(Date.now() + 20, resolve))
    expect(ran).toBe(0)
    far()
    never()
    expect(pendingDeadlines()).toBe(0)
  })

  test("one that is past runs at the next turn", async () => {
    await new Promise<void>((resolve) => atDeadline(Date.now() - 1_000, resolve))
    expect(pendingDeadlines()).toBe(0)
  })

  test("100,000 at once make one timer", () => {
    const before = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    const cancels = Array.from({ length: 100_000 }, (_, index) => atDeadline(Date.now() + 60_000 + index, () => undefined))
    const during = process.getActiveResourcesInfo().filter((name) => name === "Timeout").length
    expect(during - before).toBeLessThanOrEqual(1)
    for (const cancel of cancels) cancel()
    expect(process.getActiveResourcesInfo().filter((name) => name === "Timeout").length).toBeLessThanOrEqual(before)
    expect(pendingDeadlines()).toBe(0)
  })
})
