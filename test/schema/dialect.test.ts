import { afterEach, describe, expect, test, vi } from "vitest"
import { FromSchema, lossOf, type Dialect } from "../../src/schema.js"
import { fits } from "./roads.js"

afterEach(() => {
  vi.unstubAllGlobals()
})

const NAMED = [
  "http://json-schema.org/draft-04/schema#",
  "http://json-schema.org/draft-06/schema#",
  "http://json-schema.org/draft-07/schema#",
  "https://json-schema.org/draft/2019-09/schema",
  "https://json-schema.org/draft/2020-12/schema",
]

describe("the dialect of a schema", () => {
  test.each(NAMED)("%s is known, and nothing is fetched for it", ($schema) => {
    const fetched = vi.fn()
    vi.stubGlobal("fetch", fetched)
    const schema = FromSchema({ $schema, type: "object", properties: { n: { type: "number" } }, required: ["n"] })
    expect(fits(schema, { n: 1 })).toBe(true)
    expect(fits(schema, {})).toBe(false)
    expect(lossOf(schema)).toEqual([])
    expect(fetched).not.toHaveBeenCalled()
  })

  test.each(["http://json-schema.org/draft-07/schema", "https://json-schema.org/draft-07/schema#"])("%s means draft-07 as well", ($schema) => {
    const schema = FromSchema({ $schema, prefixItems: [{ type: "string" }] })
    expect(fits(schema, [1])).toBe(true)
    expect(lossOf(schema)).toEqual([])
  })

  test("an unknown $schema is a note, also when strict, and the schema is enforced", () => {
    const schema = FromSchema({ $schema: "https://example.com/x", type: "string" }, { strict: true })
    expect(fits(schema, "a")).toBe(true)
    expect(fits(schema, 1)).toBe(false)
    expect(lossOf(schema)).toEqual([{ pointer: "/$schema", keyword: "$schema", reason: "names a dialect that is not known; read as if it named none" }])
  })

  test("keywords of later dialects mean nothing in a dialect without them", () => {
    const table: readonly (readonly [Dialect, object, unknown])[] = [
      ["draft-04", { const: 1 }, 2],
      ["draft-04", { contains: { type: "string" } }, [1]],
      ["draft-06", { if: true, then: false }, 1],
      ["draft-07", { dependentRequired: { a: ["b"] } }, { a: 1 }],
      ["draft-07", { unevaluatedProperties: false }, { a: 1 }],
      ["2019-09", { prefixItems: [false] }, [1]],
    ]
    for (const [dialect, schema, value] of table) {
      expect(fits(FromSchema(schema, { dialect }), value)).toBe(true)
      expect(fits(FromSchema(schema), value)).toBe(false)
    }
  })

  test("keywords beside $ref count from 2019-09 on", () => {
    const schema = { $ref: "#/definitions/text", maxLength: 1, definitions: { text: { type: "string" } } }
    expect(fits(FromSchema(schema, { dialect: "draft-07" }), "ab")).toBe(true)
    expect(fits(FromSchema(schema, { dialect: "2019-09" }), "ab")).toBe(false)
    expect(fits(FromSchema(schema), "ab")).toBe(false)
  })

  test("$schema in the document goes before the option", () => {
    const schema = FromSchema({ $schema: NAMED[2], prefixItems: [false] }, { dialect: "2020-12" })
    expect(fits(schema, [1])).toBe(true)
  })

  test("a schema that names no dialect is read as its author meant it", () => {
    const tuple = { type: "array", items: [{ type: "number" }, { type: "string" }], additionalItems: false, minItems: 2 }
    expect([[1, "a"], [1], [1, "a", 2], ["a", 1]].map((value) => fits(FromSchema(tuple), value))).toEqual([true, false, false, false])
    expect([5, 6].map((value) => fits(FromSchema({ minimum: 5, exclusiveMinimum: true }), value))).toEqual([false, true])
    expect([5, 4].map((value) => fits(FromSchema({ maximum: 5, exclusiveMaximum: true }), value))).toEqual([false, true])
    expect([{}, { a: 1 }, { a: 1, b: 1 }].map((value) => fits(FromSchema({ dependencies: { a: ["b"] } }), value))).toEqual([true, false, true])
    expect(fits(FromSchema({ properties: { p: { $ref: "#/definitions/P" } }, definitions: { P: { type: "string" } } }), { p: 1 })).toBe(false)
  })

  test("the same tuple in both spellings accepts the same values", () => {
    const later = { type: "array", prefixItems: [{ type: "number" }, { type: "string" }], items: false, minItems: 2 }
    expect([[1, "a"], [1], [1, "a", 2], ["a", 1]].map((value) => fits(FromSchema(later), value))).toEqual([true, false, false, false])
  })
})

describe("format and content", () => {
  const uuid = "123e4567-e89b-12d3-a456-426614174000"

  test("a format is an annotation unless it is asserted", () => {
    expect(fits(FromSchema({ type: "string", format: "uuid" }), "no uuid")).toBe(true)
    const asserted = FromSchema({ type: "string", format: "uuid" }, { format: "assert" })
    expect(fits(asserted, uuid)).toBe(true)
    expect(fits(asserted, "no uuid")).toBe(false)
  })

  test("an unknown format accepts every string, also when formats are asserted", () => {
    const schema = FromSchema({ type: "object", properties: { limit: { type: "integer", format: "uint64", minimum: 0 }, ttl: { type: "string", format: "google-duration" } } }, { format: "assert" })
    expect(fits(schema, { limit: 5, ttl: "3s" })).toBe(true)
    expect(fits(schema, { limit: -1 })).toBe(false)
    expect(lossOf(schema)).toEqual([])
  })

  test("encoded content is looked at when it is asserted", () => {
    const schema = { contentEncoding: "base64", contentMediaType: "application/json" }
    expect(fits(FromSchema(schema), "%")).toBe(true)
    const asserted = FromSchema(schema, { content: "assert" })
    expect(["eyJmb28iOiAiYmFyIn0K", "ezp9Cg==", "{}", 1].map((value) => fits(asserted, value))).toEqual([true, false, false, true])
  })
})
