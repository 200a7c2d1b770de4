import { describe, expect, test } from "vitest"
import { Type } from "@sinclair/typebox"
import { FromSchema } from "../../src/schema.js"
import { fits } from "./roads.js"

/** What TypeBox 0.34 alone says otherwise than JSON Schema. Each value is asked on every road. */
const TRAPS: readonly { readonly name: string; readonly schema: object; readonly valid: readonly unknown[]; readonly invalid: readonly unknown[] }[] = [
  { name: "not of not in a required property", schema: { type: "object", properties: { k: { not: { not: { type: "string" } } } }, required: ["k"] }, valid: [{ k: "a" }], invalid: [{}, { k: 1 }] },
  { name: "not in a required property", schema: { type: "object", properties: { k: { not: { type: "string" } } }, required: ["k"] }, valid: [{ k: 1 }], invalid: [{}, { k: "a" }] },
  { name: "a reference to anything in a required property", schema: { type: "object", properties: { k: { $ref: "#/$defs/any" } }, required: ["k"], $defs: { any: {} } }, valid: [{ k: null }], invalid: [{}] },
  { name: "a union with anything in a required property", schema: { type: "object", properties: { k: { anyOf: [{ type: "string" }, {}] } }, required: ["k"] }, valid: [{ k: 1 }], invalid: [{}] },
  { name: "a required name that is no property", schema: { type: "object", properties: { a: {} }, required: ["b"] }, valid: [{ b: 1 }], invalid: [{}, { a: 1 }] },
  { name: "a required name that is no property of a closed object", schema: { type: "object", properties: { a: {} }, required: ["b"], additionalProperties: false }, valid: [], invalid: [{}, { a: 1 }, { b: 1 }] },
  { name: "a required name listed twice", schema: { type: "object", properties: { a: {}, b: {} }, required: ["a", "a"], additionalProperties: false }, valid: [{ a: 1 }, { a: 1, b: 1 }], invalid: [{ b: 1 }, { a: 1, c: 1 }] },
  { name: "if, then and else", schema: { type: "object", properties: { a: {} }, if: { required: ["a"] }, then: { required: ["b"] }, else: { required: ["c"] } }, valid: [{ a: 1, b: 1 }, { c: 1 }], invalid: [{ a: 1 }, {}] },
  { name: "dependentRequired", schema: { type: "object", dependentRequired: { a: ["b"] } }, valid: [{}, { a: 1, b: 1 }, { b: 1 }], invalid: [{ a: 1 }] },
  { name: "propertyNames", schema: { type: "object", propertyNames: { maxLength: 2 } }, valid: [{ ab: 1 }, {}], invalid: [{ abc: 1 }] },
  { name: "two patterns", schema: { type: "object", patternProperties: { "^a": { type: "string" }, "^b": { type: "number" } } }, valid: [{ a: "x", b: 1 }, { c: null }], invalid: [{ a: 1 }, { b: "x" }] },
  { name: "a pattern beside properties", schema: { type: "object", properties: { ab: { type: "string" } }, patternProperties: { "^a": { minLength: 2 } }, additionalProperties: false }, valid: [{ ab: "xy" }], invalid: [{ ab: "x" }, { b: 1 }] },
  { name: "a key with a line break", schema: { type: "object", additionalProperties: { type: "string" } }, valid: [{ "a\nb": "x" }], invalid: [{ "a\nb": 1 }] },
  { name: "unevaluatedProperties behind alternatives", schema: { anyOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }], unevaluatedProperties: false }, valid: [{ a: 1 }, { b: 1 }, { a: 1, b: 1 }], invalid: [{ a: 1, c: 1 }] },
  { name: "minContains 0", schema: { type: "array", contains: { type: "string" }, minContains: 0, maxContains: 1 }, valid: [[], [1], ["a"]], invalid: [["a", "b"]] },
  { name: "an open tuple", schema: { type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, valid: [[], ["a"], ["a", 1, null]], invalid: [[1], ["a", "b"]] },
  { name: "oneOf that overlaps", schema: { oneOf: [{ type: "integer" }, { type: "number", minimum: 10 }] }, valid: [5, 10.5], invalid: [12, 1.5, "5"] },
  { name: "allOf of arrays", schema: { allOf: [{ type: "array", minItems: 1 }, { type: "array", maxItems: 2 }] }, valid: [[1], [1, 2]], invalid: [[], [1, 2, 3], {}] },
  { name: "enum of objects and arrays", schema: { enum: [{ a: [1] }, [2]] }, valid: [{ a: [1] }, [2]], invalid: [{ a: [2] }, {}, [1]] },
  { name: "const of an object", schema: { const: { a: 1, b: 2 } }, valid: [{ b: 2, a: 1 }], invalid: [{ a: 1 }, { a: 1, b: 2, c: 3 }] },
  { name: "a keyword without its type", schema: { minLength: 2 }, valid: ["ab", 1, null, {}], invalid: ["a"] },
  { name: "a whole number with a point", schema: { type: "integer" }, valid: [1, 1.0, 1e3], invalid: [1.5] },
  { name: "a decimal step", schema: { type: "number", multipleOf: 0.01 }, valid: [0.07, 4.02, 0, -1.1], invalid: [0.075] },
  { name: "unique items whose hashes collide", schema: { type: "array", uniqueItems: true }, valid: [[[[1], 2], [[1, 2]]], ["a\u0004b", ["a", "b"]], ["\u0101", "\u0001\u0001"], [1, "1", true, null, [1], { a: 1 }]], invalid: [[1, 1], [{ a: 1, b: 2 }, { b: 2, a: 1 }], [[1], [1]], [0, -0]] },
  { name: "length in code points", schema: { type: "string", minLength: 2, maxLength: 3 }, valid: ["😀😀", "ab", "😀😀😀", "a😀b"], invalid: ["😀", "a", "abcd", "😀😀😀😀"] },
  { name: "a pattern of code points", schema: { type: "string", pattern: "^.$" }, valid: ["😀", "a"], invalid: ["ab", ""] },
  { name: "a pattern of Unicode properties", schema: { type: "string", pattern: "^\\p{L}+$" }, valid: ["äß"], invalid: ["1", ""] },
  { name: "a pattern that is legal without the u flag only", schema: { type: "string", pattern: "^https\\:\\/\\/" }, valid: ["https://x"], invalid: ["http://x"] },
  { name: "a format that nobody registered", schema: { type: "string", format: "x-foo" }, valid: ["", "anything"], invalid: [1] },
  { name: "names that every object inherits", schema: { type: "object", properties: { toString: { type: "string" }, constructor: { type: "number" }, hasOwnProperty: { type: "null" } } }, valid: [{}, { toString: "a" }, { constructor: 1 }], invalid: [{ toString: 1 }, { constructor: "a" }, { hasOwnProperty: 1 }] },
  { name: "inherited names that are required", schema: { type: "object", required: ["toString"] }, valid: [{ toString: null }], invalid: [{}] },
  { name: "additional members inside additional members", schema: { type: "object", properties: { x: {} }, additionalProperties: { type: "object", properties: { y: {} }, additionalProperties: { type: "number" } } }, valid: [{ k: { l: 1 } }, { x: 1, k: { y: "", l: 2 } }], invalid: [{ k: { l: "1" } }, { k: 1 }] },
  { name: "records inside records", schema: { type: "object", additionalProperties: { type: "object", additionalProperties: { type: "array", items: { type: "object", additionalProperties: { type: "number" } } } } }, valid: [{ a: { b: [{ c: 1 }] } }], invalid: [{ a: { b: [{ c: "1" }] } }] },
  { name: "a pattern with additional members below a property", schema: { type: "object", properties: { p: { type: "object", patternProperties: { "^a": { type: "string" } }, additionalProperties: { type: "number" } } } }, valid: [{ p: { a: "x", b: 1 } }, {}], invalid: [{ p: { a: 1 } }, { p: { b: "x" } }] },
  { name: "null among the values and the types", schema: { type: ["string", "null"], enum: ["foo", "bar", null] }, valid: ["foo", null], invalid: ["baz", 1] },
  { name: "null among the types, not the values", schema: { type: ["string", "null"], enum: ["foo", "bar"] }, valid: ["foo"], invalid: [null, "baz"] },
  { name: "boolean subschemas", schema: { type: "object", properties: { a: true, b: false }, additionalProperties: false }, valid: [{ a: 1 }, {}], invalid: [{ b: 1 }, { c: 1 }] },
  { name: "names with control characters", schema: { type: "object", properties: { "a\nb": { type: "string" }, "a\u007f": { type: "string" } } }, valid: [{ "a\nb": "x" }], invalid: [{ "a\nb": 1 }, { "a\u007f": 1 }] },
]

describe("a converted schema agrees with JSON Schema where TypeBox alone does not", () => {
  test.each(TRAPS)("$name", ({ schema, valid, invalid }) => {
    const converted = FromSchema(schema)
    expect(valid.map((value) => fits(converted, value))).toEqual(valid.map(() => true))
    expect(invalid.map((value) => fits(converted, value))).toEqual(invalid.map(() => false))
  })

  test.each(TRAPS)("$name, in types that a host wrote", ({ schema, valid, invalid }) => {
    const host = Type.Object({ required: FromSchema(schema), optional: Type.Optional(FromSchema(schema)), list: Type.Optional(Type.Array(FromSchema(schema))) })
    for (const value of valid) {
      expect(fits(host, { required: value })).toBe(true)
      expect(fits(host, { required: value, optional: value, list: [value, value] })).toBe(true)
    }
    const good = valid[0]
    for (const value of invalid) {
      expect(fits(host, { required: value })).toBe(false)
      if (good === undefined) continue
      expect(fits(host, { required: good, optional: value })).toBe(false)
      expect(fits(host, { required: good, list: [good, value] })).toBe(false)
    }
    expect(fits(host, {})).toBe(false)
  })

  test("a key of __proto__ is a member like any other", () => {
    const converted = FromSchema(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}},"additionalProperties":false}'))
    expect(fits(converted, {})).toBe(true)
    expect(fits(converted, JSON.parse('{"__proto__":"a"}'))).toBe(true)
    expect(fits(converted, JSON.parse('{"__proto__":1}'))).toBe(false)
    expect(fits(converted, { a: 1 })).toBe(false)
    expect(Object.hasOwn(Object.prototype, "a")).toBe(false)
  })

  test("two schemas with one $id do not share a compiled function", () => {
    const id = "https://example.com/same"
    const text = FromSchema({ $id: id, type: "object", properties: { v: { $ref: "#/$defs/v" }, w: { $ref: "#" } }, $defs: { v: { $id: "v", type: "string" } } })
    const number = FromSchema({ $id: id, type: "object", properties: { v: { $ref: "#/$defs/v" }, w: { $ref: "#" } }, $defs: { v: { $id: "v", type: "number" } } })
    const host = Type.Object({ text, number })
    expect(fits(host, { text: { v: "a", w: { v: "b" } }, number: { v: 1, w: { v: 2 } } })).toBe(true)
    expect(fits(host, { text: { v: "a" }, number: { v: "a" } })).toBe(false)
    expect(fits(host, { text: { w: { v: 1 } }, number: { v: 1 } })).toBe(false)
  })
})
