import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { MCPResponseMeta, describeReductions, type MCPContentBlock } from "../../src/envelope.js"
import { limitResult } from "../../src/middleware.js"
import { mcp, metaOf, through } from "./through.js"

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

describe("what is missing is said exactly", () => {
  test.each([
    ["items of a list", [1, 2, 3, 4, 5, 6, 7, 8, 9], 9, [1, 2, 3, 4], [{ by: "limit", path: "/data/4", bytes: 10, items: 5 }]],
    ["characters of a text", "abcdefghij", 8, "abcdef", [{ by: "limit", path: "/data", bytes: 4, characters: 4 }]],
    ["a member", { a: 1, text: 123456789 }, 10, { a: 1 }, [{ by: "limit", path: "/data/text", bytes: 17, items: 1 }]],
    ["members of an object", { a: 1, b: 2, c: 3, d: 4 }, 14, { a: 1, b: 2 }, [{ by: "limit", path: "/data", bytes: 12, items: 2 }]],
    ["a name with a slash and a tilde", { "a/b~c": "x".repeat(40) }, 30, { "a/b~c": "x".repeat(18) }, [{ by: "limit", path: "/data/a~1b~0c", bytes: 22, characters: 22 }]],
    ["the last item half, and the items behind it", ["x".repeat(30), 2, 3], 26, ["x".repeat(22)], [
      { by: "limit", path: "/data/0", bytes: 8, characters: 8 },
      { by: "limit", path: "/data/1", bytes: 4, items: 2 },
    ]],
    ["half a character is none", "ab😀", 7, "ab", [{ by: "limit", path: "/data", bytes: 4, characters: 2 }]],
  ])("%s", async (_, data, maxBytes, kept, reduced) => {
    const out = await through(limitResult(maxBytes), mcp(data))
    expect(out.data).toEqual(kept)
    expect(out.meta.reduced).toEqual(reduced)
  })

  test("small members behind a large one are kept", async () => {
    const data = { items: Array.from({ length: 500 }, (_, n) => n), total: 500, nextCursor: "abc" }
    const out = await through(limitResult(200), mcp(data))
    expect(out.data).toMatchObject({ total: 500, nextCursor: "abc" })
    expect(Object.keys(out.data as object)).toEqual(["items", "total", "nextCursor"])
    const { items } = out.data as { items: number[] }
    expect(items.length).toBeGreaterThan(30)
    expect(out.meta.reduced).toMatchObject([{ path: `/data/items/${String(items.length)}`, items: 500 - items.length }])
  })

  test("large members share what there is", async () => {
    const out = await through(limitResult(400), mcp({ a: "x".repeat(900), b: "y".repeat(900), c: "z".repeat(100) }))
    const { a, b, c } = out.data as { a: string; b: string; c: string }
    for (const text of [a, b, c]) expect(text.length).toBeGreaterThan(90)
  })

  test("of a hostile number of places the first hundred are named and the rest is summed up", async () => {
    const content = Array.from({ length: 5_000 }, (_, n): MCPContentBlock => ({ type: "image", data: String(n).padStart(400, "A"), mimeType: "image/png" }))
    const { reduced = [] } = metaOf(await through(limitResult(300), mcp(content, { content })))
    expect(reduced).toHaveLength(101)
    expect(reduced.at(-1)).toMatchObject({ path: "", items: 4_900 })
  })

  // JSON of the same kind at every depth: sizes must not be measured anew at each level.
  test("a value 500 levels deep with a megabyte at its end is cut in well under a second of work", async () => {
    let data: unknown = "x".repeat(1_000_000)
    for (let level = 0; level < 500; level++) data = level % 2 === 0 ? [data] : { a: data }
    const start = process.cpuUsage()
    const out = await through(limitResult(10_000), mcp(data))
    const { user, system } = process.cpuUsage(start)
    expect(bytesOf(out.data)).toBeLessThanOrEqual(10_000)
    expect(out.meta.reduced).toMatchObject([{ characters: 1_000_000 - 10_000 + (500 / 2) * 2 + (500 / 2) * 6 + 2 }])
    expect((user + system) / 1_000).toBeLessThan(1_000)
  })
})

describe("blocks", () => {
  const text = (value: string): MCPContentBlock => ({ type: "text", text: value })

  test("a text that is JSON stays JSON", async () => {
    const list = JSON.stringify({ hits: Array.from({ length: 200 }, (_, n) => ({ n, name: `"quoted" ${String(n)}` })), total: 200 })
    const content = [text(list)]
    const out = metaOf(await through(limitResult(1_000), mcp(content, { content })))
    const [block] = out.content
    const kept: { hits: unknown[]; total: number } = JSON.parse(block?.type === "text" ? block.text : "")
    expect(bytesOf(out.content)).toBeLessThanOrEqual(1_000)
    expect(kept.total).toBe(200)
    expect(kept.hits.length).toBeGreaterThan(10)
    expect(out.reduced).toMatchObject([{ by: "limit", path: "/meta/content/0/text" }])
    // One more item where the last one lost characters of its name only.
    expect(kept.hits.length + (out.reduced?.[0]?.items ?? 0)).toBe(200)
  })

  test("JSON with a number that JavaScript would change is cut as a text", async () => {
    const list = `[1915883588174806058,${'"abc",'.repeat(100)}1]`
    const content = [text(list)]
    const [block] = metaOf(await through(limitResult(200), mcp(content, { content }))).content
    expect(block?.type === "text" && list.startsWith(block.text)).toBe(true)
    expect(block?.type === "text" && block.text.startsWith("[1915883588174806058,")).toBe(true)
  })

  test("the text of a resource is cut, its blob is there whole or not at all, and a small block behind is kept", async () => {
    const content: MCPContentBlock[] = [
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "a".repeat(500) } },
      { type: "resource", resource: { uri: "file:///b.bin", blob: "A".repeat(500) } },
      text("end"),
    ]
    const out = metaOf(await through(limitResult(300), mcp(content, { content })))
    expect(out.content.map(({ type }) => type)).toEqual(["resource"])
    const roomy = metaOf(await through(limitResult(700), mcp(content, { content })))
    expect(roomy.content).toEqual([content[0], content[2]])
    expect(roomy.reduced).toEqual([{ by: "limit", path: "/meta/content/1", bytes: bytesOf(content[1]) + 1, items: 1 }])
  })

  test("structured content that is not `data` is cut by itself, one that is stays the same value", async () => {
    const sent = { rows: Array.from({ length: 100 }, (_, n) => n) }
    const out = await through(limitResult(100), mcp(sent, { structuredContent: sent }))
    expect(metaOf(out).structuredContent).toBe(out.data)
    expect(out.meta.reduced?.map(({ path }) => path.replace(/\d+$/, "n"))).toEqual(["/data/rows/n", "/meta/structuredContent/rows/n"])
    const cast = metaOf(await through(limitResult(100), mcp({ rows: [] }, { structuredContent: sent })))
    expect(bytesOf(cast.structuredContent)).toBeLessThanOrEqual(100)
    expect(cast.reduced).toMatchObject([{ path: expect.stringMatching(/^\/meta\/structuredContent\/rows\/\d+$/) }])
  })
})

describe("tokens", () => {
  const data = Array.from({ length: 1_000 }, (_, n) => `word ${String(n)}`)

  test("are estimated as a third of the bytes unless the host counts them", async () => {
    const out = await through(limitResult({ maxTokens: 100 }), mcp(data))
    expect(bytesOf(out.data)).toBeLessThanOrEqual(300)
    expect(bytesOf(out.data)).toBeGreaterThan(250)
  })

  test.each([
    ["a token a character", (text: string) => text.length],
    ["a token a word", (text: string) => text.split(/\W+/).length],
    ["more than there are", (text: string) => text.length * 10],
  ])("%s: the host's own estimate is kept", async (_, estimateTokens) => {
    const out = await through(limitResult({ maxTokens: 100, estimateTokens }), mcp(data))
    expect(estimateTokens(JSON.stringify(out.data))).toBeLessThanOrEqual(100)
    expect((out.data as string[]).length + (out.meta.reduced?.[0]?.items ?? 0)).toBe(1_000)
  })

  test("an estimate that is no number lets hardly anything through and ends", async () => {
    expect((await through(limitResult({ maxTokens: 100, estimateTokens: () => NaN }), mcp(data))).data).toEqual([])
  })

  test("the stricter one of both limits counts", async () => {
    expect(bytesOf((await through(limitResult({ maxTokens: 1_000, maxBytes: 50 }), mcp(data))).data)).toBeLessThanOrEqual(50)
  })
})

test.each([[{}], [{ maxBytes: 3 }], [{ maxBytes: NaN }], [{ maxTokens: 1 }], [{ maxBytes: 100, maxTokens: -5 }]])("%o is no limit", (limit) => {
  expect(() => limitResult(limit)).toThrow(expect.objectContaining({ code: "CONFIGURATION_ERROR" }))
})

describe("for any result", () => {
  const block: fc.Arbitrary<MCPContentBlock> = fc.oneof(
    fc.record({ type: fc.constant("text" as const), text: fc.oneof(fc.string({ unit: "binary", maxLength: 300 }), fc.json({ maxDepth: 4 })) }),
    fc.record({ type: fc.constant("image" as const), data: fc.base64String({ maxLength: 200 }), mimeType: fc.constant("image/png") }),
    fc.record({ type: fc.constant("resource" as const), resource: fc.record({ uri: fc.webUrl(), text: fc.string({ maxLength: 200 }) }) }),
  )

  test("each part keeps to the limit, parses, and the bytes that are missing are those that are said to be", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.object({ maxDepth: 5 }), fc.array(fc.jsonValue({ maxDepth: 3 }))), fc.array(block, { maxLength: 6 }), fc.integer({ min: 4, max: 400 }), async (value, content, maxBytes) => {
        const data: unknown = JSON.parse(JSON.stringify(value))
        const before = mcp(data, { content, structuredContent: data })
        const out = await through(limitResult(maxBytes), before)
        const meta = metaOf(out)
        for (const part of [out.data, meta.content, meta.structuredContent]) {
          expect(bytesOf(part)).toBeLessThanOrEqual(maxBytes)
          expect(JSON.parse(JSON.stringify(part))).toEqual(part)
        }
        expect(Value.Check(MCPResponseMeta, meta)).toBe(true)
        const missing = (place: string) => (meta.reduced ?? []).filter(({ path }) => path === place || path.startsWith(`${place}/`)).reduce((sum, { bytes = 0 }) => sum + bytes, 0)
        expect(missing("/data")).toBe(bytesOf(data) - bytesOf(out.data))
        expect(missing("/meta/structuredContent")).toBe(missing("/data"))
        expect(missing("/meta/content") > 0).toBe(bytesOf(meta.content) < bytesOf(content))
        for (const kept of meta.content) {
          const whole = content.find((one) => JSON.stringify(one) === JSON.stringify(kept))
          if (kept.type === "image") expect(whole).toBeDefined()
        }
        if (meta.reduced === undefined) expect(out).toBe(before)
        else expect(describeReductions(meta.reduced)).not.toBe("")
      }),
      { numRuns: 300 },
    )
  })

  test("the number of characters, items and members that are missing is right", async () => {
    const count = (value: unknown): { characters: number; items: number } => {
      if (typeof value === "string") return { characters: value.length, items: 0 }
      if (typeof value !== "object" || value === null) return { characters: 0, items: 0 }
      return { characters: 0, items: Object.keys(value).length }
    }
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: "binary", maxLength: 400 }), fc.array(fc.nat(), { maxLength: 100 }), fc.dictionary(fc.string(), fc.nat(), { maxKeys: 60 })), fc.integer({ min: 4, max: 300 }), async (value, maxBytes) => {
        const out = await through(limitResult(maxBytes), mcp(value))
        const [before, after] = [count(value), count(out.data)]
        const sum = (unit: "items" | "characters") => (out.meta.reduced ?? []).reduce((total, cut) => total + (cut[unit] ?? 0), 0)
        expect({ characters: sum("characters"), items: sum("items") }).toEqual({ characters: before.characters - after.characters, items: before.items - after.items })
      }),
      { numRuns: 300 },
    )
  })
})

test.each([
  [undefined, ""],
  [[{ by: "redact" as const, path: "/data/a" }], ""],
  [[{ by: "limit" as const, path: "/data/items/12", bytes: 4096, items: 88 }, { by: "limit" as const, path: "/meta/structuredContent/items/12", bytes: 4096, items: 88 }], "[left out: 88 items at /data/items/12 (4096 bytes)]"],
  [[{ by: "limit" as const, path: "/data", bytes: 4, characters: 1 }], "[left out: 1 character of /data (4 bytes)]"],
  [[{ by: "limit" as const, path: "", bytes: 9, items: 2, characters: 3 }], "[left out: 2 items and 3 characters elsewhere (9 bytes)]"],
  [[{ by: "spill" as const, path: "/data", bytes: 90, handle: "h1" }], '[left out: /data (90 bytes), kept under the handle "h1"]'],
  [Array.from({ length: 12 }, (_, n) => ({ by: "limit" as const, path: `/${String(n)}` })), "[left out: /0; /1; /2; /3; /4; /5; /6; /7; /8; /9; and 2 places more]"],
])("reductions %j read %s", (reduced, text) => {
  expect(describeReductions(reduced)).toBe(text)
})
