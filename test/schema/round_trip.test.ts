import { describe, expect, test } from "vitest"
import { Type, type TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { Ajv2020 } from "ajv/dist/2020.js"
import { FromSchema } from "../../src/schema.js"

/** Schemas whose conversion has to say in other words what they mean, each with values that fit and values that do not. */
const SCHEMAS: readonly { readonly name: string; readonly schema: object; readonly dialect?: "draft-04" | "draft-07" | "2019-09"; readonly valid: readonly unknown[]; readonly invalid: readonly unknown[] }[] = [
  { name: "a recursive definition", schema: { $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { n: { $ref: "#/$defs/n" } }, additionalProperties: false } } }, valid: [{}, { n: { n: {} } }], invalid: [{ n: { x: 1 } }, 1] },
  { name: "the root itself", schema: { type: "object", properties: { self: { $ref: "#" }, s: { type: "string" } } }, valid: [{ self: { s: "a" } }], invalid: [{ self: { self: { s: 1 } } }] },
  { name: "a reference with keywords beside it", schema: { $ref: "#/$defs/t", maxLength: 2, $defs: { t: { type: "string" } } }, valid: ["ab"], invalid: ["abc", 1] },
  { name: "a draft-07 reference, whose neighbours do not count", schema: { $ref: "#/definitions/t", maxLength: 2, definitions: { t: { type: "string" } } }, dialect: "draft-07", valid: ["abc"], invalid: [1] },
  { name: "a draft-07 tuple", schema: { type: "array", items: [{ type: "number" }], additionalItems: { type: "string" } }, dialect: "draft-07", valid: [[], [1, "a"]], invalid: [["a"], [1, 2]] },
  { name: "draft-04 bounds", schema: { type: "number", minimum: 1, exclusiveMinimum: true }, dialect: "draft-04", valid: [2], invalid: [1] },
  { name: "draft-07 dependencies", schema: { dependencies: { a: ["b"], c: { required: ["d"] } } }, dialect: "draft-07", valid: [{ a: 1, b: 1 }, { c: 1, d: 1 }], invalid: [{ a: 1 }, { c: 1 }] },
  { name: "keywords that the dialect does not have", schema: { type: "array", prefixItems: [false], unevaluatedItems: false }, dialect: "draft-07", valid: [[1]], invalid: [1] },
  { name: "lengths", schema: { type: "string", minLength: 2, maxLength: 4 }, valid: ["ab", "😀😀😀😀"], invalid: ["a", "😀", "abcde"] },
  { name: "values of a list", schema: { enum: ["a", { b: [1] }] }, valid: ["a", { b: [1] }], invalid: ["b"] },
  { name: "what is evaluated without being narrowed", schema: { type: "object", properties: { a: {} }, allOf: [{ additionalProperties: true }], unevaluatedProperties: false }, valid: [{ a: 1, b: 1 }], invalid: [1] },
  { name: "contains in 2019-09, which evaluates nothing", schema: { contains: { type: "string" }, unevaluatedItems: false }, dialect: "2019-09", valid: [1], invalid: [["a"]] },
  { name: "identifiers inside", schema: { $id: "https://example.com/r", properties: { a: { $ref: "x" } }, $defs: { x: { $id: "x", type: "string" } } }, valid: [{ a: "b" }], invalid: [{ a: 1 }] },
]

const ajv = new Ajv2020({ strict: false, logger: false, addUsedSchema: false, unicodeRegExp: true })

describe("the JSON of a converted schema", () => {
  test.each(SCHEMAS)("accepts the same values and converts to the same again: $name", ({ schema, dialect, valid, invalid }) => {
    const converted = FromSchema<unknown>(schema, { dialect })
    const json = jsonOf(converted)
    const again = FromSchema<unknown>(json)
    const ajvCheck = ajv.compile(json as object)
    for (const judge of [(value: unknown) => ajvCheck(value), (value: unknown) => Value.Check(again, value)]) {
      expect(valid.map((value) => judge(value))).toEqual(valid.map(() => true))
      expect(invalid.map((value) => judge(value))).toEqual(invalid.map(() => false))
    }
  })

  test.each(SCHEMAS)("accepts the same values inside a host's own types: $name", ({ schema, dialect, valid, invalid }) => {
    const converted = FromSchema<unknown>(schema, { dialect })
    const host = Type.Object({ required: converted, optional: Type.Optional(converted), list: Type.Array(converted) })
    const json = jsonOf(host)
    const again = FromSchema<unknown>(json)
    const hold = (value: unknown) => ({ required: valid[0], optional: value, list: [valid[0], value] })
    for (const judge of [ajv.compile(json as object), (value: unknown) => Value.Check(again, value)]) {
      expect(valid.map((value) => judge(hold(value)))).toEqual(valid.map(() => true))
      expect(invalid.map((value) => judge(hold(value)))).toEqual(invalid.map(() => false))
      expect(judge({ list: [] })).toBe(false)
    }
  })

  test("reads a format by the rules of the oldest dialect, which knows no A-labels", () => {
    const options = { dialect: "draft-04", format: "assert" } as const
    const again = FromSchema<unknown>(jsonOf(FromSchema<unknown>({ additionalProperties: { format: "hostname" } }, options)), { format: "assert" })
    expect(["xn--x", "a.b", "a..b"].map((name) => Value.Check(again, { name }))).toEqual([true, true, false])
  })

  test("is the same text in every process", () => {
    const schema = { type: "object", properties: { self: { $ref: "#" } } }
    expect(JSON.stringify(FromSchema<unknown>(schema))).toBe(
      '{"$defs":{"urn:mcp-operations:3b7c4ca450b454c6ce178379647950f6:1":{"type":"object","properties":{"self":{"$ref":"urn:mcp-operations:3b7c4ca450b454c6ce178379647950f6:1"}},"$id":"urn:mcp-operations:3b7c4ca450b454c6ce178379647950f6:1"}},"$ref":"urn:mcp-operations:3b7c4ca450b454c6ce178379647950f6:1"}',
    )
  })

  test("names every definition once where a host puts one schema at several places", () => {
    const tree = FromSchema<unknown>({ type: "object", properties: { kids: { type: "array", items: { $ref: "#" } } } })
    const json = jsonOf(Type.Object({ a: tree, b: tree, c: Type.Array(tree) }))
    const ids = [...JSON.stringify(json).matchAll(/"\$id":"([^"]+)"/g)].map(([, id]) => id)
    expect(new Set(ids).size).toBe(3)
    expect(ajv.compile(json as object)({ a: { kids: [{}] }, b: { kids: [] }, c: [{ kids: [1] }] })).toBe(false)
  })

  test("of a dynamic reference holds the whole document, and converts to the same again", () => {
    const tree = {
      $id: "https://example.com/strict-tree",
      $dynamicAnchor: "node",
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: { tree: { $id: "tree", $dynamicAnchor: "node", type: "object", properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } } } },
    }
    const again = FromSchema<unknown>(jsonOf(FromSchema<unknown>(tree)))
    expect(Value.Check(again, { children: [{ data: 1 }] })).toBe(true)
    expect(Value.Check(again, { children: [{ daat: 1 }] })).toBe(false)
  })
})

function jsonOf(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema))
}
