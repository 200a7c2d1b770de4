import { afterEach, describe, expect, test, vi } from "vitest"
import { collectErrors, FromSchema, lossOf } from "../../src/schema.js"
import { fits } from "./roads.js"

afterEach(() => {
  vi.unstubAllGlobals()
})

describe("references", () => {
  // sinclairzx81/typebox#1284
  test("a reference into $defs resolves, below an array too", () => {
    const schema = FromSchema({ type: "array", items: { $ref: "#/$defs/package" }, $defs: { package: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } } })
    expect(fits(schema, [{ name: "a" }])).toBe(true)
    expect(fits(schema, [{}])).toBe(false)
    expect(collectErrors(schema, [{}])[0]?.path).toBe("/0/name")
  })

  test("definitions refer to each other in a circle", () => {
    const schema = FromSchema({
      $ref: "#/$defs/a",
      $defs: {
        a: { type: "object", properties: { b: { $ref: "#/$defs/b" }, n: { type: "number" } }, required: ["n"] },
        b: { type: "object", properties: { a: { $ref: "#/$defs/a" } } },
      },
    })
    expect(fits(schema, { n: 1, b: { a: { n: 2, b: {} } } })).toBe(true)
    expect(fits(schema, { n: 1, b: { a: {} } })).toBe(false)
    expect(collectErrors(schema, { n: 1, b: { a: { n: "2" } } })).toEqual([{ path: "/b/a/n", keyword: "type", message: "must be a number" }])
  })

  // mastra-ai/mastra#15341, anthropics/claude-code#77106
  test("a recursive definition stays a reference, and issues name the place deep inside", () => {
    const schema = FromSchema({
      type: "object",
      properties: { root: { $ref: "#/$defs/node" } },
      $defs: { node: { type: "object", properties: { value: { type: "string" }, children: { type: "array", items: { $ref: "#/$defs/node" } } }, required: ["value"] } },
    })
    expect(() => JSON.stringify(schema)).not.toThrow()
    const deep = { root: { value: "a", children: [{ value: "b", children: [{ value: 3 }] }] } }
    expect(fits(schema, { root: { value: "a", children: [{ value: "b", children: [{ value: "c" }] }] } })).toBe(true)
    expect(fits(schema, deep)).toBe(false)
    expect(collectErrors(schema, deep).map(({ path }) => path)).toEqual(["/root/children/0/children/0/value"])
  })

  test("the root, anchors, relative identifiers and percent-encoded pointers lead where they say", () => {
    const table: readonly (readonly [object, unknown, unknown])[] = [
      [{ type: "object", properties: { next: { $ref: "#" } }, additionalProperties: false }, { next: { next: {} } }, { next: { other: 1 } }],
      [{ $ref: "#named", $defs: { x: { $anchor: "named", type: "string" } } }, "a", 1],
      [{ $id: "https://example.com/root", $ref: "item", $defs: { x: { $id: "https://example.com/item", type: "string" } } }, "a", 1],
      [{ $ref: "#/$defs/a~1b%25c", $defs: { "a/b%c": { type: "string" } } }, "a", 1],
      [{ $ref: "#/properties/a", properties: { a: { type: "object" } } }, {}, 1],
      [{ $ref: "#/components/x", components: { x: { type: "string" } } }, "a", 1],
      [{ $schema: "http://json-schema.org/draft-07/schema#", $ref: "#/$defs/x", $defs: { x: { type: "string" } } }, "a", 1],
      [{ $dynamicRef: "#node", $defs: { x: { $dynamicAnchor: "node", type: "string" } } }, "a", 1],
    ]
    for (const [schema, valid, invalid] of table) {
      const converted = FromSchema(schema)
      expect(lossOf(converted)).toEqual([])
      expect([fits(converted, valid), fits(converted, invalid)]).toEqual([true, false])
    }
  })

  test("a reference may lead to a metaschema, which is never fetched", () => {
    const fetched = vi.fn()
    vi.stubGlobal("fetch", fetched)
    for (const uri of ["http://json-schema.org/draft-04/schema#", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2019-09/schema", "https://json-schema.org/draft/2020-12/schema"]) {
      const schema = FromSchema({ $ref: uri })
      expect(fits(schema, { minLength: 1, properties: { a: { type: "string" } } })).toBe(true)
      expect(fits(schema, { properties: { a: { minLength: -1 } } })).toBe(false)
    }
    expect(fetched).not.toHaveBeenCalled()
  })

  test("schemas of the remotes map are found by their URI, those of nobody are not", () => {
    const remotes = new Map<string, unknown>([["https://example.com/name.json", { type: "string", maxLength: 3 }]])
    const known = FromSchema({ $ref: "https://example.com/name.json" }, { remotes })
    expect(fits(known, "abc")).toBe(true)
    expect(fits(known, "abcd")).toBe(false)
    const unknown = FromSchema({ $ref: "https://example.com/name.json" })
    expect(fits(unknown, 1)).toBe(true)
    expect(lossOf(unknown)).toEqual([{ pointer: "/$ref", keyword: "$ref", reason: "leads nowhere: https://example.com/name.json cannot be resolved, and nothing is fetched" }])
  })

  // modelcontextprotocol/typescript-sdk#1175
  test("a dangling reference makes its own node unknown and leaves the rest enforced", () => {
    const schema = FromSchema({ type: "object", properties: { a: { $ref: "#/$defs/M" }, b: { type: "string" } } })
    expect(fits(schema, { a: { anything: [1] }, b: "x" })).toBe(true)
    expect(fits(schema, { b: 1 })).toBe(false)
    expect(lossOf(schema)).toEqual([{ pointer: "/properties/a/$ref", keyword: "$ref", reason: "leads nowhere: #/$defs/M cannot be resolved, and nothing is fetched" }])
  })

  test("with strict, what cannot be enforced is thrown as SCHEMA_ERROR with pointer, keyword and reason", () => {
    expect(() => FromSchema({ properties: { a: { $ref: "#/$defs/M" } } }, { strict: true })).toThrow(
      expect.objectContaining({ code: "SCHEMA_ERROR", details: { pointer: "/properties/a/$ref", keyword: "$ref", reason: "leads nowhere: #/$defs/M cannot be resolved, and nothing is fetched" } }) as Error,
    )
  })
})
