import { afterEach, describe, expect, test, vi } from "vitest"
import { FormatRegistry } from "@sinclair/typebox"
import fc from "fast-check"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { collectErrors, FromSchema, lossOf } from "../src/schema.js"
import { fits } from "./schema/roads.js"

afterEach(() => {
  vi.restoreAllMocks()
})

interface Report {
  readonly report: string
  readonly schema: unknown
  readonly valid: readonly unknown[]
  /** Values that do not fit, with the place of the first issue. */
  readonly invalid: readonly (readonly [value: unknown, path: string])[]
}

/** Schemas of public reports about other converters, and what their authors expected. */
const REPORTS: readonly Report[] = [
  { report: "github/copilot-cli#1876: a required argument behind a reference", schema: { type: "object", $defs: { Q: { type: "object", properties: { query: { type: "string", default: null }, limit: { type: "integer", default: 20 } } } }, properties: { query_model: { $ref: "#/$defs/Q" } }, required: ["query_model"] }, valid: [{ query_model: { limit: 5 } }], invalid: [[{ query_model: { limit: "5" } }, "/query_model/limit"], [{}, "/query_model"]] },
  { report: "zed-industries/zed#60162: definitions, with text beside the reference", schema: { type: "object", properties: { parent: { $ref: "#/definitions/P", description: "where" } }, definitions: { P: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } } }, valid: [{}, { parent: { id: "1" } }], invalid: [[{ parent: {} }, "/parent/id"]] },
  { report: "mastra-ai/mastra#15341: a recursive definition", schema: { type: "object", properties: { root: { $ref: "#/$defs/node" } }, $defs: { node: { type: "object", properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } }, required: ["value"] } } }, valid: [{ root: { value: "a", children: [{ value: "b", children: [{ value: "c" }] }] } }], invalid: [[{ root: { value: "a", children: [{ value: "b", children: [{ value: 1 }] }] } }, "/root/children/0/children/0/value"]] },
  { report: "OpenHands/software-agent-sdk#4182: a boolean schema inside a schema", schema: { type: "object", properties: { cursor: { anyOf: [{ type: "array", items: true }, { type: "null" }] } }, additionalProperties: false }, valid: [{ cursor: [1, "a", null] }, { cursor: null }], invalid: [[{ cursor: "x" }, "/cursor"], [{ other: 1 }, "/other"]] },
  { report: "openai/codex#4176: additionalProperties as a schema", schema: { type: "object", additionalProperties: { type: "array", items: { type: "object", additionalProperties: true } } }, valid: [{ a: [{ x: 1 }] }], invalid: [[{ a: 1 }, "/a"]] },
  { report: "openai/codex#4176: additionalProperties as an empty schema", schema: { type: "object", additionalProperties: {} }, valid: [{ a: 1, b: "x" }], invalid: [[1, ""]] },
  { report: "mastra-ai/mastra#13315: null among the alternatives", schema: { type: "object", properties: { path: { anyOf: [{ type: "string" }, { type: "null" }], default: null } } }, valid: [{}, { path: null }, { path: "a" }], invalid: [[{ path: 1 }, "/path"]] },
  { report: "anthropics/claude-code#3966: null among the types", schema: { type: "object", properties: { id: { type: "string" }, note: { type: ["string", "null"], default: null } }, required: ["id"] }, valid: [{ id: "7", note: "x" }, { id: "7" }, { id: "7", note: null }], invalid: [[{ note: "x" }, "/id"]] },
  { report: "google/adk-js#370: values without a type", schema: { type: "object", properties: { mode: { enum: ["a", 1, null] }, v: { const: 3 } } }, valid: [{ mode: "a" }, { mode: 1 }, { mode: null }, { v: 3 }], invalid: [[{ mode: "b" }, "/mode"], [{ mode: "1" }, "/mode"], [{ v: "3" }, "/v"]] },
  { report: "anomalyco/opencode#12908: a closed choice as alternatives", schema: { type: "object", properties: { format: { anyOf: [{ const: "json", description: "J" }, { const: "markdown" }] } }, required: ["format"] }, valid: [{ format: "json" }], invalid: [[{ format: "yaml" }, "/format"]] },
  { report: "geut/openapi-box#18: null among the values", schema: { type: ["string", "null"], enum: ["foo", "bar", null] }, valid: [null, "foo"], invalid: [["baz", ""]] },
  { report: "orval-labs/orval#1738: null among the types but not among the values", schema: { type: ["string", "null"], enum: ["foo", "bar"] }, valid: ["foo"], invalid: [[null, ""]] },
  { report: "xddq/schema2typebox#16: exactly one", schema: { oneOf: [{ type: "integer" }, { type: "number", minimum: 10 }] }, valid: [5, 10.5], invalid: [[12, ""], [1.5, ""]] },
  { report: "microsoft/vscode#244467: a tuple of 2020-12", schema: { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false, minItems: 2 }, valid: [[1, "a"]], invalid: [[[1], ""], [[1, "a", 2], "/2"], [["a", 1], "/0"]] },
  { report: "ScriptedAlchemy/agent-bundle#563: a tuple of draft-07", schema: { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false, minItems: 2 }, valid: [[1, "a"]], invalid: [[[1], ""], [[1, "a", 2], "/2"], [["a", 1], "/0"]] },
  { report: "langchain-ai/langchainjs#11351: a pattern that is legal without the u flag", schema: { type: "object", properties: { url: { type: "string", pattern: "^https\\:\\/\\/" } }, required: ["url"] }, valid: [{ url: "https://x" }], invalid: [[{ url: "http://x" }, "/url"]] },
  { report: "anomalyco/opencode#32950: formats that nobody knows", schema: { type: "object", properties: { limit: { type: "integer", format: "uint64", minimum: 0 }, ttl: { type: "string", format: "google-duration" } } }, valid: [{ limit: 5, ttl: "3s" }], invalid: [[{ limit: -1 }, "/limit"]] },
  { report: "anthropics/claude-code#95504: a condition at the root", schema: { type: "object", properties: { mode: { type: "string" }, size: { type: "integer" } }, required: ["mode"], allOf: [{ if: { properties: { mode: { const: "big" } } }, then: { required: ["size"] } }] }, valid: [{ mode: "small" }, { mode: "big", size: 3 }], invalid: [[{ mode: "big" }, "/size"]] },
  { report: "langchain4j/langchain4j#6320: properties in the parts of allOf", schema: { type: "object", allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "number" } } }] }, valid: [{ a: "x", b: 1 }], invalid: [[{ b: 1 }, "/a"], [{ a: "x", b: "1" }, "/b"]] },
  { report: "webstudio-is/webstudio#6009: properties without a type", schema: { type: "object", additionalProperties: false, properties: { limit: {}, dryRun: {} } }, valid: [{ limit: 5, dryRun: true }, { limit: "abc" }], invalid: [[{ other: 1 }, "/other"]] },
  { report: "langchain-ai/langchainjs#8222: no parameters", schema: { type: "object" }, valid: [{}, { x: 1 }], invalid: [[[], ""], [null, ""]] },
  { report: "mastra-ai/mastra#4341: optional lists that may be null", schema: { type: "object", properties: { fields: { type: ["array", "null"], items: { type: "string" }, default: null }, name: { type: ["string", "null"], default: null } } }, valid: [{}, { fields: null }, { fields: ["a"] }], invalid: [[{ fields: ["a", null] }, "/fields/1"]] },
  { report: "mastra-ai/mastra#13419: null is not left out in silence", schema: { type: "object", properties: { a: { type: "string" }, b: { type: "string" } } }, valid: [{ b: "x" }], invalid: [[{ a: null, b: "x" }, "/a"]] },
  { report: "elidickinson/pi-claude-bridge#44: objects in lists", schema: { type: "object", properties: { q: { type: "array", items: { type: "object", properties: { text: { type: "string", description: "T" }, n: { type: "integer" } }, required: ["text"], additionalProperties: false } } }, required: ["q"] }, valid: [{ q: [{ text: "a", n: 1 }] }], invalid: [[{ q: [{}] }, "/q/0/text"], [{ q: [{ text: "a", n: 1.5 }] }, "/q/0/n"]] },
  { report: "anthropics/claude-code#88049: alternatives at the root", schema: { anyOf: [{ type: "object", properties: { id: { type: "string" } }, required: ["id"] }, { type: "object", properties: { url: { type: "string" } }, required: ["url"] }] }, valid: [{ id: "1" }, { url: "x" }], invalid: [[{}, "/id"]] },
  { report: "sinclairzx81/typebox#278: closed parts that can never be met together", schema: { allOf: [{ type: "object", properties: { x: { type: "number" } }, additionalProperties: false }, { type: "object", properties: { y: { type: "number" } } }] }, valid: [{ x: 1 }], invalid: [[{ x: 1, y: 2 }, "/y"]] },
]

describe("schemas of public reports", () => {
  test.each(REPORTS)("$report", ({ schema, valid, invalid }) => {
    const converted = FromSchema<unknown>(schema, { strict: true })
    for (const value of valid) expect(fits(converted, value)).toBe(true)
    for (const [value, path] of invalid) {
      expect(fits(converted, value)).toBe(false)
      expect(collectErrors(converted, value)[0]?.path).toBe(path)
    }
  })

  test("nothing is written to the console, and no format is registered", () => {
    const writes = [
      ...(["log", "info", "warn", "error", "debug"] as const).map((method) => vi.spyOn(console, method)),
      vi.spyOn(process.stderr, "write"),
      vi.spyOn(process.stdout, "write"),
    ]
    const formats = [...FormatRegistry.Entries().keys()]
    for (const { schema } of REPORTS) lossOf(FromSchema<unknown>(schema, { format: "assert" }))
    for (const write of writes) expect(write).not.toHaveBeenCalled()
    expect([...FormatRegistry.Entries().keys()]).toEqual(formats)
  })

  // sinclairzx81/typebox#807
  test("no road throws, whatever the value is", () => {
    const roads = REPORTS.map(({ schema }) => {
      const converted = FromSchema<unknown>(schema)
      const compiled = TypeCompiler.Compile(converted)
      return (value: unknown) => [Value.Check(converted, value), compiled.Check(value), collectErrors(converted, value).length === 0]
    })
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(roads.length - 1), (value, index) => {
        expect(new Set(roads[index]?.(value)).size).toBe(1)
      }),
      { numRuns: 10_000, seed: 807 },
    )
  })

  // sinclairzx81/typebox#1043
  test("a format that is asserted refuses what is none, and one that nobody knows refuses nothing", () => {
    const asserted = FromSchema({ type: "string", format: "uuid" }, { format: "assert" })
    expect(fits(asserted, "123e4567-e89b-12d3-a456-426614174000")).toBe(true)
    expect(fits(asserted, "123e4567")).toBe(false)
    expect(fits(FromSchema({ type: "string", format: "x-foo" }, { format: "assert" }), "anything")).toBe(true)
  })
})
