import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { memorySpillStore, spill, spillReader } from "../../src/middleware.js"
import { defineOperation } from "../../src/operation.js"
import { OperationRegistry } from "../../src/registry.js"
import { partOf } from "../contract/spill_store.js"

const long = Array.from({ length: 3_000 }, (_, n) => `line ${String(n)} 😀`).join("\n")

describe("the reader of what was put aside", () => {
  test("gives a large result back in pieces, by the handle that stands in its place", async () => {
    const store = memorySpillStore()
    const registry = new OperationRegistry()
    registry.use(spill(store, { maxBytes: 8_000 }))
    registry.register(spillReader(store))
    registry.register(defineOperation({ namespace: "t", name: "long", inputSchema: Type.Unknown(), outputSchema: Type.String(), handler: () => long }))
    const { meta } = await registry.execute("t.long")
    const handle = meta.reduced?.[0]?.handle
    let text = ""
    let from: number | undefined = 0
    while (from !== undefined) {
      const { data, meta: own } = await registry.execute("results.read", { handle, from })
      const piece = data as { text: string; total: number; next?: number }
      expect([own.reduced, piece.total]).toEqual([undefined, long.length])
      text += piece.text
      from = piece.next
    }
    expect(text).toBe(long)
  })

  test.each([
    ["a text", "abcdef", { from: 2, length: 3 }, { text: "cde", from: 2, total: 6, next: 5 }],
    ["the end of a text", "abcdef", { from: 4 }, { text: "ef", from: 4, total: 6 }],
    ["behind the end", "abc", { from: 10 }, { text: "", from: 10, total: 3 }],
    ["no half character", "a😀b", { length: 2 }, { text: "a😀", from: 0, total: 4, next: 3 }],
    ["a block of text", { type: "text", text: "hello" }, {}, { text: "hello", from: 0, total: 5 }],
    ["anything else as JSON", { a: [1] }, {}, { text: '{"a":[1]}', from: 0, total: 9 }],
  ])("%s", async (_, value, where, expected) => {
    const store = memorySpillStore()
    const registry = new OperationRegistry()
    registry.register(spillReader(store, { namespace: "spill", name: "get" }))
    const handle = await store.put(partOf(value))
    expect((await registry.execute("spill.get", { handle, ...where })).data).toEqual(expected)
  })

  test("refuses a handle that it does not know, without repeating it, and lengths beyond its own", async () => {
    const registry = new OperationRegistry()
    registry.register(spillReader(memorySpillStore()))
    const unknown = registry.execute("results.read", { handle: "not-a-handle" })
    await expect(unknown).rejects.toMatchObject({ code: "VALIDATION_ERROR", details: { issues: [{ path: "/handle" }] } })
    await expect(unknown).rejects.not.toMatchObject({ message: expect.stringContaining("not-a-handle") })
    await expect(registry.execute("results.read", { handle: "x", length: 1_000_000 })).rejects.toMatchObject({ code: "VALIDATION_ERROR" })
  })
})
