import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { describe, expect, test } from "vitest"
import { isResponseEnvelope } from "../../src/envelope.js"
import { toEnvelope, type AnswerReading } from "../../src/from_mcp/result_envelope.js"

const schema = Type.Object({ n: Type.Number() }, { additionalProperties: false })
const typed = (more: Partial<AnswerReading> = {}): AnswerReading => ({
  server: "s",
  tool: "t",
  output: { schema, fits: (value) => Value.Check(schema, value), unchecked: undefined },
  normalize: "cast",
  parseText: false,
  ...more,
})
const untyped: AnswerReading = { ...typed(), output: undefined }
const text = (value: string) => ({ type: "text", text: value })
const base = { source: "mcp", server: "s", tool: "t", isError: false }

describe("without an output schema", () => {
  test.each([[[{ id: 1 }]], [true], [0], [""], [null], [false], [{ items: [1] }]])("structuredContent %j is data", (structuredContent) => {
    expect(toEnvelope({ structuredContent, content: [text("x")] }, untyped)).toEqual({
      data: structuredContent,
      meta: { ...base, content: [text("x")], structuredContent, dataFrom: "structuredContent", conformance: "untyped" },
    })
  })

  test.each<[string, Record<string, unknown>, unknown]>([
    ["blocks only", { content: [text("a"), { type: "video", data: "x" }] }, [text("a"), text('{"type":"video","data":"x"}')]],
    ["nothing at all", {}, []],
    ["content that is a text", { content: "hello" }, [text('"hello"')]],
  ])("%s become data", (_name, result, blocks) => {
    expect(toEnvelope(result, untyped)).toEqual({ data: blocks, meta: { ...base, content: blocks, dataFrom: "content", conformance: "untyped" } })
  })

  test("toolResult alone is data", () => {
    expect(toEnvelope({ toolResult: { a: 1 } }, untyped)).toEqual({ data: { a: 1 }, meta: { ...base, content: [], dataFrom: "toolResult", conformance: "untyped" } })
  })

  test("further members, and members of a wrong type, are kept as extra", () => {
    const result = JSON.parse('{"content":[],"__proto__":{"x":1},"toolResult":5,"isError":"yes","_meta":7,"other":[1]}') as Record<string, unknown>
    const { meta } = toEnvelope(result, untyped)
    expect(JSON.parse(JSON.stringify((meta as { extra: unknown }).extra))).toEqual(JSON.parse('{"__proto__":{"x":1},"toolResult":5,"isError":"yes","_meta":7,"other":[1]}'))
    expect(meta).toMatchObject({ isError: false })
    expect(meta).not.toHaveProperty("_meta")
  })

  test("_meta is kept", () => {
    expect(toEnvelope({ content: [], _meta: { a: 1 } }, untyped).meta).toMatchObject({ _meta: { a: 1 } })
  })
})

describe("with an output schema", () => {
  test("content that fits is handed on as the same reference", () => {
    const structuredContent = { n: 1 }
    const { data, meta } = toEnvelope({ structuredContent, content: [text("6 hits")] }, typed())
    expect(data).toBe(structuredContent)
    expect(meta).toEqual({ ...base, content: [text("6 hits")], structuredContent, dataFrom: "structuredContent", conformance: "exact" })
  })

  test("content that does not fit is cast, with what was sent, issues and changes", () => {
    const { data, meta } = toEnvelope({ structuredContent: { n: "1" } }, typed())
    expect(data).toEqual({ n: 0 })
    expect(meta).toMatchObject({ structuredContent: { n: "1" }, conformance: "cast", issues: [{ path: "/n" }], changes: [{ path: "/n", kind: "replaced", from: "1", to: 0 }] })
  })

  test("normalize raw leaves it as sent", () => {
    const structuredContent = { n: "1" }
    const { data, meta } = toEnvelope({ structuredContent }, typed({ normalize: "raw" }))
    expect(data).toBe(structuredContent)
    expect(meta).toMatchObject({ conformance: "invalid", issues: [{ path: "/n" }] })
    expect(meta).not.toHaveProperty("changes")
  })

  test("what would replace the root is invalid, not cast", () => {
    expect(toEnvelope({ structuredContent: [1] }, typed())).toMatchObject({ data: [1], meta: { conformance: "invalid" } })
  })

  test.each<[string, Record<string, unknown>, string]>([
    ["is missing", { content: [text('{"n":1}')] }, "structuredContent is missing, though the tool declares an output schema"],
    ["is null", { content: [text('{"n":1}')], structuredContent: null }, "structuredContent is null, which the output schema refuses"],
  ])("structured content that %s falls back to the blocks", (_name, result, message) => {
    const { data, meta } = toEnvelope(result, typed())
    expect(data).toEqual([text('{"n":1}')])
    expect(meta).toMatchObject({ dataFrom: "content", conformance: "missing", issues: [{ path: "", keyword: "structuredContent", message }] })
  })

  test("parseText takes the first text that fits", () => {
    const { data, meta } = toEnvelope({ content: [text("hello"), text('{"n":"x"}'), text('{"n":1}')] }, typed({ parseText: true }))
    expect([data, meta]).toMatchObject([{ n: 1 }, { dataFrom: "text", conformance: "exact" }])
    expect(toEnvelope({ content: [text("hello")] }, typed({ parseText: true })).meta).toMatchObject({ conformance: "missing" })
    expect(toEnvelope({ content: [text('{"n":1}')] }, { ...untyped, parseText: true }).meta).toMatchObject({ dataFrom: "content" })
  })

  test("an error's content is not held against the schema of successes", () => {
    expect(toEnvelope({ isError: true, content: [text("boom")], structuredContent: { code: "NEEDS_HUMAN" } }, typed())).toEqual({
      data: { code: "NEEDS_HUMAN" },
      meta: { ...base, isError: true, content: [text("boom")], structuredContent: { code: "NEEDS_HUMAN" }, dataFrom: "structuredContent", conformance: "untyped" },
    })
    expect(toEnvelope({ isError: true, content: [] }, typed())).toEqual({ data: [], meta: { ...base, isError: true, content: [], dataFrom: "content", conformance: "untyped" } })
  })

  test("what cannot be checked is named", () => {
    const output = { schema, fits: () => true, unchecked: ["/properties/n"] }
    expect(toEnvelope({ structuredContent: { n: "x" } }, typed({ output })).meta).toMatchObject({ conformance: "exact", unchecked: ["/properties/n"] })
  })

  test("200 issues are shown as the first 100 with their number", () => {
    const many = Type.Object({ list: Type.Array(Type.Number()) })
    const output = { schema: many, fits: (value: unknown) => Value.Check(many, value), unchecked: undefined }
    const { meta } = toEnvelope({ structuredContent: { list: Array(200).fill("x") } }, typed({ output, normalize: "raw" }))
    expect(meta).toMatchObject({ issuesTotal: 200 })
    expect((meta as { issues: unknown[] }).issues).toHaveLength(100)
  })

  test("every answer is an envelope", () => {
    for (const result of [{}, { content: null, structuredContent: undefined }, { isError: "x", content: [null, 5] }]) expect(isResponseEnvelope(toEnvelope(result, typed()))).toBe(true)
  })
})
