import { describe, expect, test } from "vitest"
import { Type } from "@sinclair/typebox"
import { collectErrors, FromSchema, validateOrThrow } from "../../src/schema.js"

const paths = (schema: unknown, value: unknown) => collectErrors(FromSchema<unknown>(schema), value).map(({ path }) => path)

describe("collectErrors on converted schemas", () => {
  // github/copilot-cli#1876
  test("tells places behind references, and what is missing by its own place", () => {
    const schema = { type: "object", $defs: { Q: { type: "object", properties: { query: { type: "string", default: null }, limit: { type: "integer", default: 20 } } } }, properties: { query_model: { $ref: "#/$defs/Q" } }, required: ["query_model"] }
    expect(paths(schema, { query_model: { limit: 5 } })).toEqual([])
    expect(paths(schema, { query_model: { limit: "5" } })).toEqual(["/query_model/limit"])
    expect(collectErrors(FromSchema<unknown>(schema), {})).toEqual([{ path: "/query_model", keyword: "required", message: "is required" }])
  })

  test("tells several faults together, each in plain words", () => {
    const schema = FromSchema({
      type: "object",
      properties: { n: { type: "number", minimum: 5 }, s: { type: "string", maxLength: 2 }, list: { type: "array", items: { type: "boolean" }, minItems: 3 }, e: { enum: ["a", "b"] } },
      required: ["n", "r"],
      additionalProperties: false,
    })
    expect(collectErrors(schema, { n: 1, s: "abc", list: [true, 1], e: "c", x: 1 })).toEqual([
      { path: "/r", keyword: "required", message: "is required" },
      { path: "/n", keyword: "minimum", message: "must be at least 5" },
      { path: "/s", keyword: "maxLength", message: "must have at most 2 characters" },
      { path: "/list", keyword: "minItems", message: "must have at least 3 items" },
      { path: "/list/1", keyword: "type", message: "must be true or false" },
      { path: "/e", keyword: "enum", message: 'must be one of "a", "b"' },
      { path: "/x", keyword: "additionalProperties", message: "is not a known property" },
    ])
  })

  test("puts the innermost cause before the alternative that it rules out", () => {
    const schema = { anyOf: [{ type: "object", properties: { kind: { const: "a" }, n: { type: "number" } }, required: ["kind", "n"] }, { type: "object", properties: { kind: { const: "b" }, list: { type: "array", items: { type: "string" } } }, required: ["kind"] }, { type: "null" }] }
    expect(collectErrors(FromSchema<unknown>(schema), { kind: "b", list: ["x", 1] })).toEqual([
      { path: "/list/1", keyword: "type", message: "must be a string" },
      { path: "", keyword: "anyOf", message: "must match at least one of the 3 alternatives" },
    ])
    // sinclairzx81/typebox#880: no alternative has this tag, so only the tag is told.
    expect(paths(schema, { kind: "z", n: 1 })).toEqual(["/kind", ""])
    expect(paths(schema, 5)).toEqual([""])
  })

  test("tells how many alternatives of oneOf match", () => {
    const schema = FromSchema({ oneOf: [{ type: "integer" }, { type: "number", minimum: 10 }] })
    expect(collectErrors(schema, 12)).toEqual([{ path: "", keyword: "oneOf", message: "must match exactly one of the 2 alternatives, but matches 2" }])
    expect(collectErrors(schema, "x")).toEqual([{ path: "", keyword: "oneOf", message: "must match exactly one of the 2 alternatives, but matches none" }])
  })

  // langchain4j/langchain4j#6320
  test("looks into the parts of allOf", () => {
    const schema = { type: "object", allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "number" } } }] }
    expect(paths(schema, { b: 1 })).toEqual(["/a"])
    expect(paths(schema, { a: "x", b: "1" })).toEqual(["/b"])
  })

  test("looks into what TypeBox cannot express", () => {
    const schema = {
      type: "object",
      properties: { mode: { type: "string" }, tags: { type: "array", uniqueItems: true }, pair: { prefixItems: [{ type: "string" }, { type: "number" }], items: false } },
      if: { properties: { mode: { const: "big" } } },
      then: { required: ["size"] },
      patternProperties: { "^x-": { type: "number" } },
      unevaluatedProperties: false,
    }
    const issues = collectErrors(FromSchema<unknown>(schema), { mode: "big", tags: [1, 1], pair: ["a", "b", "c"], "x-a": "1" })
    expect(issues.map(({ path, keyword }) => `${path} ${keyword}`)).toEqual(["/tags uniqueItems", "/pair/1 type", "/pair/2 false", "/x-a type", "/size required", " then"])
    expect(collectErrors(FromSchema<unknown>(schema), { mode: "small", extra: 1 })).toEqual([{ path: "/extra", keyword: "unevaluatedProperties", message: "is not a known property" }])
  })

  test("writes pointers as RFC 6901 says", () => {
    expect(paths({ properties: { "a/b~c": { properties: { "": { type: "string" } } } } }, { "a/b~c": { "": 1 } })).toEqual(["/a~1b~0c/"])
  })

  test("never shows the value", () => {
    const secret = "hunter2-very-secret"
    const schema = FromSchema({ type: "object", properties: { a: { type: "number" }, b: { enum: [1] }, c: { type: "string", maxLength: 3, pattern: "^x" }, d: { const: true }, e: { not: {} } } })
    const issues = collectErrors(schema, { a: secret, b: secret, c: secret, d: secret, e: secret })
    expect(issues).toHaveLength(6)
    expect(JSON.stringify(issues)).not.toContain(secret)
  })

  test("stops at the limit, which is 100 unless said otherwise", () => {
    const schema = FromSchema({ type: "array", items: { type: "string" } })
    const value = Array.from({ length: 300 }, () => 1)
    expect(collectErrors(schema, value)).toHaveLength(100)
    expect(collectErrors(schema, value, { limit: 7 })).toHaveLength(7)
  })
})

describe("collectErrors on schemas that a person wrote in TypeBox", () => {
  test("speaks the same words", () => {
    const schema = Type.Object({ n: Type.Number({ minimum: 5 }), s: Type.String({ maxLength: 2 }), list: Type.Array(Type.Boolean()), u: Type.Union([Type.Literal("a"), Type.Literal("b")]) }, { additionalProperties: false })
    expect(collectErrors(schema, { n: 1, list: [1], u: "c", x: 1 })).toEqual([
      { path: "/s", keyword: "required", message: "is required" },
      { path: "/x", keyword: "additionalProperties", message: "is not a known property" },
      { path: "/n", keyword: "minimum", message: "must be at least 5" },
      { path: "/list/0", keyword: "type", message: "must be true or false" },
      { path: "/u", keyword: "anyOf", message: "must match at least one of the alternatives" },
    ])
  })

  test("tells of a union the alternative that was meant", () => {
    const schema = Type.Union([Type.Object({ kind: Type.Literal("a"), n: Type.Number() }), Type.Object({ kind: Type.Literal("b"), s: Type.String() })])
    expect(collectErrors(schema, { kind: "b", s: 1 }).map(({ path }) => path)).toEqual(["/s", ""])
    expect(collectErrors(schema, { kind: "z", s: "keep" }).map(({ path }) => path)).toEqual(["/kind", ""])
  })

  test("looks into converted schemas inside", () => {
    const schema = Type.Object({ inner: FromSchema({ type: "object", properties: { tags: { type: "array", items: { type: "string" }, uniqueItems: true } } }) })
    expect(collectErrors(schema, { inner: { tags: ["a", 1] } })).toEqual([{ path: "/inner/tags/1", keyword: "type", message: "must be a string" }])
  })

  test("says so when a schema is none", () => {
    // What a host without the compiler's help may pass.
    const raw = { type: "string" } as never
    expect(collectErrors(raw, 1)).toEqual([{ path: "", keyword: "schema", message: "cannot be checked: the schema is of a kind that is not known" }])
  })
})

describe("validateOrThrow", () => {
  const schema = FromSchema({ type: "object", properties: { a: { type: "number" }, b: { type: "string" } }, required: ["a", "b"] })

  test("returns for a value that fits", () => {
    expect(() => validateOrThrow(schema, { a: 1, b: "x" }, 'the input of "ns.tool"')).not.toThrow()
  })

  test("throws VALIDATION_ERROR with every issue, and a message of places without values", () => {
    const attempt = () => validateOrThrow(schema, { a: "my-secret-value" }, 'the input of "ns.tool"')
    expect(attempt).toThrow(
      expect.objectContaining({
        code: "VALIDATION_ERROR",
        message: 'the input of "ns.tool" does not fit its schema: /b is required; /a must be a number',
        details: {
          issues: [
            { path: "/b", keyword: "required", message: "is required" },
            { path: "/a", keyword: "type", message: "must be a number" },
          ],
        },
      }) as Error,
    )
  })

  test("counts in its message what it does not tell", () => {
    const list = FromSchema({ type: "array", items: { type: "string" } })
    expect(() => validateOrThrow(list, [1, 2, 3, 4, 5, 6, 7], "the list")).toThrow("the list does not fit its schema: /0 must be a string; /1 must be a string; /2 must be a string; /3 must be a string; /4 must be a string; and 2 more")
  })
})
