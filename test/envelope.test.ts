import { Value } from "@sinclair/typebox/value"
import { describe, expect, test } from "vitest"
import {
  HTTPResponseMeta,
  LocalResponseMeta,
  MCPResponseMeta,
  httpEnvelope,
  isResponseEnvelope,
  localEnvelope,
  mapMCPContentBlocks,
  mcpEnvelope,
  unwrap,
} from "../src/envelope.js"

describe("mcpEnvelope", () => {
  test("fills the defaults and leaves members out that are undefined", () => {
    const envelope = mcpEnvelope([], { isError: false, content: [], structuredContent: undefined, _meta: undefined, issues: undefined })
    expect(envelope).toStrictEqual({
      data: [],
      meta: { source: "mcp", server: "", tool: "", isError: false, content: [], dataFrom: "content", conformance: "untyped" },
    })
    expect(Value.Check(MCPResponseMeta, envelope.meta)).toBe(true)
  })

  test.each([null, 0, false, "", [], {}])("takes the structured content %o for present", (structuredContent) => {
    const { meta } = mcpEnvelope(structuredContent, { isError: false, content: [], structuredContent })
    expect(meta.dataFrom).toBe("structuredContent")
    expect(meta.structuredContent).toBe(structuredContent)
  })

  test("keeps every member that is given", () => {
    const all = {
      server: "s",
      tool: "t",
      isError: true,
      content: [{ type: "text" as const, text: "a" }],
      structuredContent: { a: 1 },
      _meta: { m: 1 },
      extra: { tools: [] },
      dataFrom: "text" as const,
      conformance: "cast" as const,
      issues: [{ path: "/a", keyword: "type", message: "m" }],
      issuesTotal: 200,
      changes: [{ path: "/a", kind: "removed" as const, from: 1 }],
      changesTotal: 300,
      unchecked: ["/properties/a"],
      reduced: [{ by: "limit" as const, path: "/content/0", bytes: 5 }],
    }
    const { meta } = mcpEnvelope(1, all)
    expect(meta).toStrictEqual({ source: "mcp", ...all })
    expect(Value.Check(MCPResponseMeta, meta)).toBe(true)
  })
})

test("a local envelope says which operation made it, and when; undefined becomes null", () => {
  const before = Date.now()
  const { data, meta } = localEnvelope(undefined, "a.b")
  expect(data).toBeNull()
  expect(meta.operationId).toBe("a.b")
  expect(meta.timestamp).toBeGreaterThanOrEqual(before)
  expect(meta.timestamp).toBeLessThanOrEqual(Date.now())
  expect(Value.Check(LocalResponseMeta, meta)).toBe(true)
})

describe("httpEnvelope", () => {
  test("brings header names to lower case and takes the media type from them", () => {
    const { meta } = httpEnvelope("x", { statusCode: 200, headers: { "Content-Type": "text/plain", "X-A": "1" } })
    expect(meta).toStrictEqual({ source: "http", statusCode: 200, headers: { "content-type": "text/plain", "x-a": "1" }, contentType: "text/plain" })
    expect(Value.Check(HTTPResponseMeta, meta)).toBe(true)
  })

  test("a header named __proto__ stays a header", () => {
    const headers = JSON.parse('{"__proto__":"x"}') as Record<string, string>
    const { meta } = httpEnvelope(1, { statusCode: 200, headers })
    expect(Object.keys(meta.headers)).toEqual(["__proto__"])
    expect(Object.getPrototypeOf(meta.headers)).toBe(Object.prototype)
  })
})

describe("isResponseEnvelope", () => {
  test.each([localEnvelope(1, "a.b"), httpEnvelope(1, { statusCode: 200 }), mcpEnvelope(1, { isError: false, content: [] })])("accepts %o", (envelope) => {
    expect(isResponseEnvelope(envelope)).toBe(true)
    expect(isResponseEnvelope(JSON.parse(JSON.stringify(envelope)))).toBe(true)
    expect(unwrap(envelope)).toBe(1)
  })

  test.each([
    [null],
    [undefined],
    ["x"],
    [[]],
    [{}],
    [{ data: 1 }],
    [{ data: 1, meta: null }],
    [{ data: 1, meta: { source: "other" } }],
    [{ data: 1, meta: { source: "local" } }],
    [{ data: 1, meta: { source: "http", statusCode: "200", headers: {}, contentType: "" } }],
    [{ data: 1, meta: { source: "mcp", server: "s", tool: "t", isError: "no", content: [], dataFrom: "content", conformance: "exact" } }],
    [{ meta: { source: "local", operationId: "a.b", timestamp: 1 } }],
    [Object.create({ data: 1, meta: { source: "local", operationId: "a.b", timestamp: 1 } })],
  ])("refuses %o", (value) => {
    expect(isResponseEnvelope(value)).toBe(false)
  })
})

describe("mapMCPContentBlocks", () => {
  test("hands known blocks on as the same objects, in order, with members it does not know", () => {
    const blocks = [
      { type: "text", text: "a", name: "STDOUT" },
      { type: "image", data: "AA==", mimeType: "image/png" },
      { type: "audio", data: "AA==", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "a:b", text: "" } },
      { type: "resource", resource: { uri: "a:b", blob: "AA==", mimeType: "x/y" } },
      { type: "resource_link", uri: "file:///r.pdf", name: "r.pdf", title: "R", description: "d", mimeType: "application/pdf", size: 12 },
    ]
    const mapped = mapMCPContentBlocks(blocks)
    expect(mapped).toHaveLength(6)
    mapped.forEach((block, index) => expect(block).toBe(blocks[index]))
  })

  test.each<[unknown, string]>([
    [{ type: "video", data: "x" }, '{"type":"video","data":"x"}'],
    [{ type: "image", data: "AA==" }, '{"type":"image","data":"AA=="}'],
    [{ type: "text" }, '{"type":"text"}'],
    [{ type: "text", text: 5 }, '{"type":"text","text":5}'],
    [{ type: "resource", resource: { uri: "a:b" } }, '{"type":"resource","resource":{"uri":"a:b"}}'],
    [{ type: "resource_link", uri: "a:b" }, '{"type":"resource_link","uri":"a:b"}'],
    [{ type: "resource_link", uri: "a:b", name: "n", size: "12" }, '{"type":"resource_link","uri":"a:b","name":"n","size":"12"}'],
    [null, "null"],
    ["x", '"x"'],
    [[], "[]"],
  ])("turns the unknown block %o into a text block of its JSON", (block, text) => {
    expect(mapMCPContentBlocks([block])).toEqual([{ type: "text", text }])
  })

  test.each<[unknown, unknown]>([
    [undefined, []],
    [null, []],
    ["hello", [{ type: "text", text: '"hello"' }]],
    [{ type: "text", text: "a" }, [{ type: "text", text: '{"type":"text","text":"a"}' }]],
  ])("content %o that is no array becomes %o", (content, blocks) => {
    expect(mapMCPContentBlocks(content)).toEqual(blocks)
  })
})
