import { describe, expect, test } from "vitest"
import { toolFlags } from "../../../src/cli/flags/tool_flags.js"

function names(inputSchema: unknown): Record<string, readonly string[]> {
  return Object.fromEntries(toolFlags(inputSchema).all.map((flag) => [flag.name, flag.names]))
}

function withProperties(...properties: string[]): unknown {
  return { type: "object", properties: Object.fromEntries(properties.map((name) => [name, { type: "string" }])) }
}

describe("flag names", () => {
  // openclaw/mcporter#332 and #339
  test("odd property names each have a flag of their own, and an alias only where it can mean nothing else", () => {
    expect(names(withProperties("Query", "no_cache", "nocache", "query-3", "query3", "__", "--x"))).toEqual({
      Query: ["Query", "query"],
      no_cache: ["no_cache", "no-cache"],
      nocache: ["nocache"],
      "query-3": ["query-3"],
      query3: ["query3"],
      __: ["__"],
      "--x": ["--x", "x"],
    })
  })

  test("two properties that would share an alias have none, in either order", () => {
    expect(names(withProperties("maxItems", "max_items"))).toEqual({ maxItems: ["maxItems"], max_items: ["max_items"] })
    expect(names(withProperties("max_items", "maxItems"))).toEqual({ maxItems: ["maxItems"], max_items: ["max_items"] })
  })

  test("an alias never takes the exact name of another property, nor json and help", () => {
    expect(names(withProperties("maxItems", "max-items", "JSON", "Help", "HTTPHeader"))).toEqual({
      maxItems: ["maxItems"],
      "max-items": ["max-items"],
      JSON: ["JSON"],
      Help: ["Help"],
      HTTPHeader: ["HTTPHeader", "http-header"],
    })
  })

  test("names of Object.prototype are names like any other", () => {
    const schema: unknown = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{},"toString":{"type":"integer"}}}')
    const flags = toolFlags(schema)
    expect(flags.all.map((flag) => flag.name)).toEqual(["__proto__", "constructor", "toString"])
    expect([...flags.byName.keys()]).toEqual(["__proto__", "proto", "constructor", "toString", "to-string"])
    expect(toolFlags({ type: "object" }).byName.get("constructor")).toBeUndefined()
  })

  test("the property with the empty name has no flag", () => {
    expect(names(withProperties("", "a"))).toEqual({ "": [], a: ["a"] })
  })
})

describe("the properties behind flags", () => {
  // langchain4j/langchain4j#6320, CodebuffAI/freebuff#459
  test("properties inside allOf parts count", () => {
    const { all } = toolFlags({
      type: "object",
      allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { properties: { b: { type: "number" } } }],
    })
    expect(all.map(({ name, required }) => [name, required])).toEqual([["a", true], ["b", false]])
  })

  test("references, union branches and conditions are looked into; what stands in a branch is never required", () => {
    const { all, view } = toolFlags({
      $ref: "#/$defs/base",
      $defs: { base: { properties: { id: { $ref: "#/$defs/id" } }, required: ["id"] }, id: { type: "integer", description: "The id" } },
      oneOf: [{ properties: { url: { type: "string" } }, required: ["url"] }, { properties: { path: { type: "string" } }, required: ["path"] }],
      if: { properties: { mode: { const: "big" } } },
      then: { required: ["size"] },
    })
    expect(all.map(({ name, required }) => [name, required])).toEqual([["id", true], ["url", false], ["path", false], ["mode", false], ["size", false]])
    expect(view.types(all[0]?.schema)).toEqual(new Set(["integer"]))
    expect(view.text(all[0]?.schema, "description")).toBe("The id")
  })

  test("required properties come first, also those that the schema does not describe", () => {
    const { all } = toolFlags({ properties: { a: {}, b: {} }, required: ["b", "c"] })
    expect(all.map(({ name, required }) => [name, required])).toEqual([["b", true], ["c", true], ["a", false]])
  })

  test.each([
    ["no schema", undefined],
    ["true", true],
    ["a text", "object"],
    ["properties that are a list", { properties: [] }],
    ["a reference to nowhere", { $ref: "#/$defs/none" }],
    ["a reference to another document", { $ref: "https://example.com/schema" }],
    ["a reference to itself", { $ref: "#" }],
    ["a broken escape", { $ref: "#/%E0" }],
  ])("%s gives no flags and no error", (_, schema) => {
    expect(toolFlags(schema).all).toEqual([])
  })

  test("a schema that doubles at each of 200 steps is answered at once", () => {
    const $defs: Record<string, unknown> = { d0: { type: "string" } }
    for (let step = 1; step <= 200; step++) {
      const below = { $ref: `#/$defs/d${String(step - 1)}` }
      $defs[`d${String(step)}`] = { anyOf: [below, { ...below }], allOf: [{ ...below }, { ...below }] }
    }
    const { all, view } = toolFlags({ $defs, properties: { x: { $ref: "#/$defs/d200" } } })
    expect(view.types(all[0]?.schema)).toEqual(new Set(["string"]))
    expect(view.text(all[0]?.schema, "description")).toBeUndefined()
  })
})
