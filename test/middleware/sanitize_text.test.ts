import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { CallError } from "../../src/error.js"
import { MCPResponseMeta, httpEnvelope, localEnvelope, type MCPContentBlock } from "../../src/envelope.js"
import { cleanText, sanitizeText } from "../../src/middleware.js"
import { mcp, metaOf, through } from "./through.js"

describe("cleanText", () => {
  test.each([
    ["colours", "\u001b[1;31mred\u001b[0m", "red"],
    ["cursor and screen", "a\u001b[2J\u001b[1;1Hb", "ab"],
    ["a window title", "a\u001b]0;owned\u0007b", "ab"],
    ["a link", "\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\", "click"],
    ["a link in 8-bit controls", "a\u009d8;;x\u009cb\u009b31mc", "abc"],
    ["a device string", "a\u001bPq#0\u001b\\b", "ab"],
    ["a sequence that is never ended", "a\u001b[31", "a"],
    ["a lone escape and one with one character", "a\u001bcb\u001b", "ab"],
    ["null, bell, backspace, delete", "a\u0000b\u0007c\u0008d\u007fe", "abcde"],
    ["a return that writes over its line", "rm -rf /\recho hi", "rm -rf /\necho hi"],
    ["line breaks of both kinds and tabs stay", "a\r\nb\nc\td", "a\r\nb\nc\td"],
    ["marks that turn the direction", "\u202eevil\u202c \u2066a\u2069 \u200f\u061c", "evil a "],
    ["tag characters that only a model reads", "hi\u{e0049}\u{e0067}\u{e006e}", "hi"],
    ["line separators", "a\u2028b\u2029c", "abc"],
    ["every script, emoji with joiners, accents", "日本語 עברית می‌خواهم 👩‍👩‍👧 é", "日本語 עברית می‌خواهم 👩‍👩‍👧 é"],
  ])("%s", (_, text, clean) => {
    expect(cleanText(text)).toBe(clean)
    expect(cleanText(clean)).toBe(clean)
  })

  test("whatever the text: nothing is left that a terminal obeys, and cleaning again changes nothing", () => {
    const nasty = fc.constantFrom("\u001b", "[", "]", "\u009b", "\u0007", "\u001b\\", "3", ";", "m", "\r", "\n", "\u202e", "\u{e0041}", "a")
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: nasty }), fc.string({ unit: "binary" })), (text) => {
        const clean = cleanText(text)
        expect(clean).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)|[\u{e0000}-\u{e007f}]/u)
        expect(cleanText(clean)).toBe(clean)
      }),
      { numRuns: 2_000 },
    )
  })

  test("a megabyte of openings takes no more than a second of work", () => {
    const start = process.cpuUsage()
    for (const opening of ["\u001b[", "\u001b]", "\u009b", "\u001bP0;", "\r", "\u001b[0;0;0;"]) cleanText(opening.repeat(200_000))
    const { user, system } = process.cpuUsage(start)
    expect((user + system) / 1_000).toBeLessThan(5_000)
  })
})

describe("sanitizeText", () => {
  test("cleans data, blocks, structured content and what stands beside them, and says how much is gone where", async () => {
    const data = { "na\u202eme": "a\u001b[31mb", list: ["ok", "\u0007x"] }
    const content: MCPContentBlock[] = [
      { type: "text", text: "\u001b[1mbold" },
      { type: "image", data: "AAAA", mimeType: "image/png\u0000" },
      { type: "resource_link", uri: "file:///a", name: "a\u202e" },
    ]
    const out = await through(sanitizeText(), mcp(data, { content, structuredContent: data, _meta: { note: "n\u0000" }, extra: { e: "\u001be" } }))
    const meta = metaOf(out)
    expect(out.data).toEqual({ name: "ab", list: ["ok", "x"] })
    expect(meta.structuredContent).toBe(out.data)
    expect(meta.content).toEqual([
      { type: "text", text: "bold" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
      { type: "resource_link", uri: "file:///a", name: "a" },
    ])
    expect([meta._meta, meta.extra]).toEqual([{ note: "n" }, { e: "" }])
    expect(meta.reduced).toContainEqual({ by: "sanitize", path: "/data/name", characters: 5 })
    expect(meta.reduced).toContainEqual({ by: "sanitize", path: "/data", characters: 1 })
    expect(meta.reduced).toContainEqual({ by: "sanitize", path: "/meta/content/0/text", characters: 4 })
    expect(Value.Check(MCPResponseMeta, meta)).toBe(true)
  })

  test("what is clean passes as the same object, and base64 is not looked at", async () => {
    const envelope = mcp({ a: "b\n" }, { content: [{ type: "image", data: "AA\u0000", mimeType: "image/png" }] })
    expect(await through(sanitizeText(), envelope)).toBe(envelope)
  })

  test("two names that differ only in what is taken out both stay", async () => {
    const out = await through(sanitizeText(), mcp({ "a\u0000": 1, a: 2, "a\u0001": 3 }))
    expect(out.data).toEqual({ a: 1, "a (2)": 2, "a (3)": 3 })
  })

  test("a member named like the prototype stays a member", async () => {
    const out = await through(sanitizeText(), mcp(JSON.parse('{"__proto__": {"a": "\\u0000b"}}')))
    expect(JSON.stringify(out.data)).toBe('{"__proto__":{"a":"b"}}')
  })

  test("results of local and HTTP operations are cleaned too", async () => {
    expect((await through(sanitizeText(), localEnvelope("a\u0007", "t.x"))).data).toBe("a")
    const { meta } = await through(sanitizeText(), httpEnvelope("x", { statusCode: 200, headers: { "x-a": "b\u001b[0m" }, contentType: "text/plain" }))
    expect(meta.source === "http" && meta.headers).toEqual({ "x-a": "b" })
  })

  test("so are message and details of an error", async () => {
    const failing = () => Promise.reject(new CallError("PROTOCOL_ERROR", "the server said \u001b[31mno", { details: { rpcData: ["\u202ex"], rpcCode: 5 } }))
    await expect(through(sanitizeText(), failing)).rejects.toMatchObject({ code: "PROTOCOL_ERROR", message: "the server said no", details: { rpcData: ["x"], rpcCode: 5 } })
  })

  test("of a hostile number of places a hundred are named and the rest is summed up", async () => {
    const { reduced = [] } = metaOf(await through(sanitizeText(), mcp(Array.from({ length: 1_000 }, () => "\u0000"))))
    expect([reduced.length, reduced.at(-1)]).toEqual([101, { by: "sanitize", path: "", characters: 900 }])
  })
})
