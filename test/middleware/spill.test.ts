import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { MCPResponseMeta, localEnvelope, type MCPContentBlock, type Reduction } from "../../src/envelope.js"
import { limitResult, memorySpillStore, redact, spill, type SpillStore, type SpilledPart } from "../../src/middleware.js"
import { partOf } from "../contract/spill_store.js"
import { mcp, metaOf, through } from "./through.js"

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const rows = Array.from({ length: 500 }, (_, n) => ({ n, name: `row ${String(n)}` }))

/** A store whose handles are h1, h2, …, and what it has. */
function counted(): SpillStore & { readonly parts: SpilledPart[] } {
  const parts: SpilledPart[] = []
  return {
    parts,
    put: async (part) => `h${String(parts.push(structuredClone(part)))}`,
    get: async (handle) => parts[Number(handle.slice(1)) - 1],
  }
}

describe("what is large", () => {
  test("goes into the store whole, and its beginning and a handle stay", async () => {
    const store = memorySpillStore()
    const out = await through(spill(store, { maxBytes: 1_000, previewBytes: 200 }), localEnvelope({ rows, total: 500 }, "t.x"))
    const [reduction] = out.meta.reduced ?? []
    expect(reduction).toMatchObject({ by: "spill", path: "/data", bytes: bytesOf({ rows, total: 500 }) })
    expect(bytesOf(out.data)).toBeLessThanOrEqual(200)
    expect(out.data).toEqual({ rows: [...rows.slice(0, 7), { n: 7 }], total: 500 })
    expect(await store.get(reduction?.handle ?? "")).toEqual({ operationId: "t.x", path: "/data", value: { rows, total: 500 }, bytes: reduction?.bytes })
  })

  test("is stored once where structured content is `data`, also where it came as a copy", async () => {
    for (const structuredContent of [rows, structuredClone(rows)]) {
      const store = counted()
      const out = metaOf(await through(spill(store, { maxBytes: 1_000 }), mcp(rows, { structuredContent })))
      expect(store.parts).toHaveLength(1)
      expect(out.reduced?.map(({ path, handle }) => [path, handle])).toEqual([["/data", "h1"], ["/meta/structuredContent", "h1"]])
    }
  })

  test("leaves small results alone, as the same object", async () => {
    const store = counted()
    const envelope = mcp({ a: 1 }, { content: [{ type: "text", text: "hi" }] })
    expect(await through(spill(store), envelope)).toBe(envelope)
    expect(store.parts).toEqual([])
  })

  test("blocks keep their places: a text its beginning, an image a line that names what was there", async () => {
    const store = counted()
    const content: MCPContentBlock[] = [
      { type: "text", text: "t".repeat(5_000) },
      { type: "image", data: "A".repeat(5_000), mimeType: "image/png" },
      { type: "text", text: "small" },
      { type: "resource", resource: { uri: "file:///a.bin", mimeType: "application/pdf", blob: "B".repeat(5_000) } },
    ]
    const out = await through(spill(store, { maxBytes: 1_000, previewBytes: 100 }), mcp(content, { content }))
    expect(out.data).toEqual([
      { type: "text", text: "t".repeat(75) },
      { type: "text", text: '[image image/png of 5049 bytes, kept under the handle "h2"]' },
      { type: "text", text: "small" },
      { type: "text", text: '[resource application/pdf of 5093 bytes, kept under the handle "h3"]' },
    ])
    expect(metaOf(out).content).toBe(out.data)
    expect(store.parts.map(({ value }) => value)).toEqual([content[0], content[1], content[3]])
    expect(Value.Check(MCPResponseMeta, out.meta)).toBe(true)
  })

  test("a thousand small blocks are kept as one part, and the first of them stay", async () => {
    const store = counted()
    const content = Array.from({ length: 1_000 }, (_, n): MCPContentBlock => ({ type: "text", text: `line ${String(n)}` }))
    const out = metaOf(await through(spill(store, { maxBytes: 1_000 }), mcp(content, { content })))
    expect(bytesOf(out.content)).toBeLessThanOrEqual(1_000)
    expect(out.content[0]).toEqual({ type: "text", text: "line 0" })
    expect(store.parts).toEqual([partOf(content, { operationId: "t.x", path: "/meta/content" })])
  })

  test("members of meta are taken out whole", async () => {
    const store = counted()
    const out = metaOf(await through(spill(store, { maxBytes: 100 }), mcp(1, { _meta: { big: "x".repeat(500) }, extra: { small: 1 } })))
    expect([out._meta, out.extra]).toEqual([undefined, { small: 1 }])
    expect(out.reduced).toEqual([{ by: "spill", path: "/meta/_meta", bytes: 510, handle: "h1" }])
  })

  test("what was redacted further inside is redacted in the store, and a limit further outside keeps the handle", async () => {
    const store = counted()
    const data = { token: "hunter2-hunter2", text: `hunter2-hunter2 ${"x".repeat(3_000)}` }
    const out = await through([limitResult(500), spill(store, { maxBytes: 1_000 }), redact(["/token"])], mcp(data, { structuredContent: data }))
    expect(JSON.stringify([out, store.parts])).not.toContain("hunter2")
    expect(bytesOf(out.data)).toBeLessThanOrEqual(500)
    expect(out.meta.reduced?.map(({ by }) => by)).toEqual(["redact", "redact", "spill", "spill", "limit", "limit"])
  })
})

describe("nothing is lost in silence", () => {
  const full: SpillStore = { put: () => Promise.reject(new Error("disk full")), get: async () => undefined }

  test("where the store refuses, the result is cut as by limitResult and says so", async () => {
    const out = await through(spill(full, { maxBytes: 500 }), mcp(rows))
    expect(out).toEqual(await through(limitResult(500), mcp(rows)))
    expect(out.meta.reduced?.map(({ by, handle }) => [by, handle])).toEqual([["limit", undefined], ["limit", undefined]])
  })

  test("or the call fails, where the host prefers that", async () => {
    await expect(through(spill(full, { maxBytes: 500, onStoreFailure: "error" }), mcp(rows))).rejects.toMatchObject({
      code: "RESOURCE_EXHAUSTED",
      message: 'A large part of the result of "t.x" could not be put aside',
      details: { operationId: "t.x", limit: 500, outcome: "unknown" },
    })
  })

  test.each([[""], ["x".repeat(513)], [undefined], [7]])("the handle %j is none", async (handle) => {
    const store: SpillStore = { put: () => Promise.resolve(handle as string), get: async () => undefined }
    const out = await through(spill(store, { maxBytes: 500 }), mcp(rows))
    expect(out.meta.reduced?.every(({ by }) => by === "limit")).toBe(true)
  })

  test("a part that the store refused after another was taken: the whole result is cut, and no handle is half true", async () => {
    let calls = 0
    const store: SpillStore = { put: () => (++calls === 1 ? Promise.resolve("h1") : Promise.reject(new Error("full"))), get: async () => undefined }
    const content: MCPContentBlock[] = [{ type: "text", text: "a".repeat(3_000) }, { type: "text", text: "b".repeat(3_000) }]
    const out = metaOf(await through(spill(store, { maxBytes: 500 }), mcp(content, { content })))
    expect(out.reduced?.every(({ by, handle }) => by === "limit" && handle === undefined)).toBe(true)
    expect(bytesOf(out.content)).toBeLessThanOrEqual(500)
  })

  test("any result comes back from the store, whole and in place", async () => {
    const text = fc.record({ type: fc.constant("text" as const), text: fc.string({ maxLength: 300 }) })
    const image = fc.record({ type: fc.constant("image" as const), data: fc.base64String({ maxLength: 300 }), mimeType: fc.constant("image/png") })
    await fc.assert(
      fc.asyncProperty(fc.object({ maxDepth: 4 }), fc.array(fc.oneof(text, image), { maxLength: 5 }), fc.integer({ min: 64, max: 400 }), async (value, content, maxBytes) => {
        const data: unknown = JSON.parse(JSON.stringify(value))
        const store = memorySpillStore()
        const out = await through(spill(store, { maxBytes }), mcp(data, { content, structuredContent: data }))
        const meta = metaOf(out)
        const kept = async (path: string, present: unknown) => {
          const found = meta.reduced?.find((one: Reduction) => one.path === path)
          return found === undefined ? present : (await store.get(found.handle ?? ""))?.value
        }
        expect(bytesOf(out.data)).toBeLessThanOrEqual(maxBytes)
        expect(bytesOf(meta.content)).toBeLessThanOrEqual(maxBytes)
        expect(await kept("/data", out.data)).toEqual(data)
        expect(await kept("/meta/structuredContent", meta.structuredContent)).toEqual(data)
        const all = await kept("/meta/content", undefined)
        if (all !== undefined) expect(all).toEqual(content)
        else for (const [index, block] of content.entries()) expect(await kept(`/meta/content/${String(index)}`, meta.content[index])).toEqual(block)
      }),
      { numRuns: 200 },
    )
  })
})

test("the oldest parts make room in memory, and one that is larger than the whole store is refused", async () => {
  const store = memorySpillStore({ maxBytes: 1_000 })
  const handles: string[] = []
  for (let n = 0; n < 5; n++) handles.push(await store.put(partOf(`${String(n)}${"x".repeat(300)}`)))
  const there = await Promise.all(handles.map(async (handle) => (await store.get(handle)) !== undefined))
  expect(there).toEqual([false, false, false, true, true])
  await expect(store.put(partOf("x".repeat(1_000)))).rejects.toMatchObject({ code: "RESOURCE_EXHAUSTED" })
})

test.each([[NaN], [0], [63]])("a size of %s is refused when the middleware is made", (maxBytes) => {
  expect(() => spill(memorySpillStore(), { maxBytes })).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }))
})
