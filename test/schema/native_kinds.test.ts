import { describe, expect, test } from "vitest"
import { createRequire } from "node:module"
import { FormatRegistry, Kind, Type, TypeRegistry, type TSchema } from "@sinclair/typebox"
import type { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { FromSchema, sourceOf } from "../../src/schema.js"

const EXACT = "mcp-operations:Exact"

describe("the kind of a converted node", () => {
  const table: readonly (readonly [object | boolean, string])[] = [
    [true, "Unknown"],
    [false, "Never"],
    [{}, "Unknown"],
    [{ description: "anything" }, "Unknown"],
    [{ type: "string" }, "String"],
    [{ type: "string", minLength: 1 }, "String"],
    [{ type: "string", minLength: 2, maxLength: 9 }, "String"],
    [{ type: "string", pattern: "^[a-z]+$" }, "String"],
    [{ type: "string", format: "email" }, "String"],
    [{ type: "number", minimum: 1, exclusiveMaximum: 5 }, "Number"],
    [{ type: "integer", multipleOf: 3 }, "Integer"],
    [{ type: "number", multipleOf: 0.1 }, EXACT],
    [{ type: "boolean" }, "Boolean"],
    [{ type: "null" }, "Null"],
    [{ type: ["string", "null"] }, "Union"],
    [{ const: "a" }, "Literal"],
    [{ const: null }, "Null"],
    [{ const: {} }, EXACT],
    [{ enum: ["a", 1, null] }, "Union"],
    [{ type: "string", enum: ["a", 1] }, "Literal"],
    [{ type: "object", properties: { a: { type: "string" } }, required: ["a"] }, "Object"],
    [{ type: "object", additionalProperties: { type: "string" } }, "Record"],
    [{ type: "object", patternProperties: { "^x-": { type: "string" } }, additionalProperties: false }, "Record"],
    [{ type: "object", additionalProperties: false }, "Object"],
    [{ type: "object", propertyNames: { type: "string" }, additionalProperties: {} }, "Object"],
    [{ type: "array", items: { type: "string" }, minItems: 1 }, "Array"],
    [{ type: "array" }, "Array"],
    [{ type: "array", uniqueItems: true }, EXACT],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "Union"],
    [{ oneOf: [{ type: "string" }, { type: "number" }] }, "Union"],
    [{ oneOf: [{ type: "integer" }, { type: "number" }] }, EXACT],
    [{ oneOf: [{ type: "object", properties: { k: { const: "a" } }, required: ["k"] }, { type: "object", properties: { k: { const: "b" } }, required: ["k"] }] }, "Union"],
    [{ oneOf: [{ type: "object", properties: { k: { const: "a" } } }, { type: "object", properties: { k: { const: "b" } }, required: ["k"] }] }, EXACT],
    [{ allOf: [{ type: "string" }] }, "String"],
    [{ type: "object", allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "number" } } }] }, "Object"],
    [{ allOf: [{ type: "object", properties: { a: {} }, additionalProperties: false }, { type: "object" }] }, EXACT],
    [{ not: { type: "string" } }, "Not"],
    [{ minimum: 3 }, EXACT],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "string" } } }, "String"],
    [{ type: "object", properties: { self: { $ref: "#" } } }, "Import"],
  ]

  test.each(table)("of %j is %s", (schema, kind) => {
    expect(FromSchema<TSchema>(schema as TSchema)[Kind]).toBe(kind)
  })
})

describe("a converted schema", () => {
  test("keeps titles, descriptions, defaults, examples and keywords of nobody", () => {
    const schema = FromSchema({ type: "object", title: "T", properties: { a: { type: "string", description: "where", default: "x", examples: ["y"], "x-ui": { wide: true } } } })
    expect(JSON.parse(JSON.stringify(schema))).toEqual({ type: "object", title: "T", properties: { a: { type: "string", description: "where", default: "x", examples: ["y"], "x-ui": { wide: true } } } })
  })

  // zed-industries/zed#60162
  test("keeps the description beside a reference", () => {
    const schema = FromSchema({ type: "object", properties: { parent: { $ref: "#/definitions/P", description: "where" } }, definitions: { P: { type: "object", properties: { id: { type: "string" } }, required: ["id"] } } })
    expect((JSON.parse(JSON.stringify(schema)) as { properties: { parent: { description: string } } }).properties.parent.description).toBe("where")
  })

  test("is frozen, with its source, and does not follow later changes of what was given", () => {
    const given = { type: "object", properties: { a: { type: "string" } } }
    const schema = FromSchema<unknown>(given)
    given.properties.a.type = "number"
    expect(Object.isFrozen(schema)).toBe(true)
    expect(Value.Check(schema, { a: "x" })).toBe(true)
    expect(sourceOf(schema)).toEqual({ schema: { type: "object", properties: { a: { type: "string" } } } })
    expect(Object.isFrozen(sourceOf(schema)?.schema)).toBe(true)
  })

  test("remembers its source and the dialect that was an option, also below Type.Optional", () => {
    const schema = FromSchema({ type: "string" }, { dialect: "draft-07" })
    expect(sourceOf(schema)).toEqual({ schema: { type: "string" }, dialect: "draft-07" })
    expect(sourceOf(Type.Optional(schema))).toEqual({ schema: { type: "string" }, dialect: "draft-07" })
    expect(sourceOf(Type.String())).toBeUndefined()
  })

  test("is the same object for an equal schema, and another one for other options", () => {
    const one = FromSchema({ type: "object", properties: { cached: { type: "string" } } })
    expect(FromSchema({ type: "object", properties: { cached: { type: "string" } } })).toBe(one)
    expect(FromSchema({ type: "object", properties: { cached: { type: "string" } } }, { format: "assert" })).not.toBe(one)
    expect(FromSchema({ type: "object", properties: { cached: { type: "string" } } }, { dialect: "draft-07" })).not.toBe(one)
  })

  test("goes through Cast, Default and Clean of TypeBox", () => {
    const schema = FromSchema({ type: "object", properties: { n: { type: "number" }, s: { type: "string", default: "d" }, list: { type: "array", items: { $ref: "#/$defs/i" } } }, required: ["n"], additionalProperties: false, $defs: { i: { type: "object", properties: { k: { type: "string" } }, required: ["k"], additionalProperties: false } } })
    expect(Value.Cast(schema, { n: "x", list: [{}] })).toEqual({ n: 0, list: [{ k: "" }] })
    expect(Value.Default(schema, { n: 1 })).toEqual({ n: 1, s: "d" })
    expect(Value.Clean(schema, { n: 1, x: 2, list: [{ k: "a", l: 1 }] })).toEqual({ n: 1, list: [{ k: "a" }] })
  })

  test("leaves the registries of the host as they were, but for one kind in both builds of TypeBox", () => {
    FormatRegistry.Set("host-format", () => true)
    FromSchema({ type: "string", format: "email", uniqueItems: true, multipleOf: 0.5 }, { format: "assert" })
    expect([...FormatRegistry.Entries().keys()]).toEqual(["host-format"])
    expect([...TypeRegistry.Entries().keys()]).toEqual([EXACT])
    FormatRegistry.Delete("host-format")
  })

  test("is known to the CommonJS build of TypeBox", () => {
    const require = createRequire(import.meta.url)
    // The CommonJS build has the same shape as the one the compiler knows.
    const { Value: commonValue } = require("@sinclair/typebox/value") as { Value: typeof Value }
    const { TypeCompiler: commonCompiler } = require("@sinclair/typebox/compiler") as { TypeCompiler: typeof TypeCompiler }
    const schema = FromSchema({ type: "array", uniqueItems: true })
    expect(schema[Kind]).toBe(EXACT)
    expect([[1, 2], [1, 1]].map((value) => commonValue.Check(schema, value))).toEqual([true, false])
    expect([[1, 2], [1, 1]].map((value) => commonCompiler.Compile(schema).Check(value))).toEqual([true, false])
  })

  test("of what is no schema is unknown, with a loss at the root", () => {
    for (const schema of ["nope", 5, null, [], undefined, () => 1]) {
      const converted = FromSchema<unknown>(schema)
      expect(Value.Check(converted, { any: 1 })).toBe(true)
    }
  })
})
