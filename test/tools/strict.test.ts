/**
 * The strict mode of OpenAI: what is written, what is reported, what is refused, and arguments on their way back.
 */
import { describe, expect, test } from "vitest"
import { forProvider, toOpenAITools, toToolDefinitions, type ProviderChange } from "../../src/tools.js"
import { specFromJSON } from "../../src/operation.js"

const text = { type: "string" }
const nothing = { type: "null" }
const closed = (properties: object, more: object = {}) => ({ type: "object", properties, required: Object.keys(properties), additionalProperties: false, ...more })
/** An object of one required property, of which alone the test speaks. */
const holding = (a: unknown, more: object = {}) => ({ type: "object", properties: { a }, required: ["a"], additionalProperties: false, ...more })

describe("the strict form of a property", () => {
  test.each<[string, unknown, unknown, ProviderChange[]]>([
    ["that is strict already is the same", { type: "string", description: "d", pattern: "^a", format: "email" }, { type: "string", description: "d", pattern: "^a", format: "email" }, []],
    [
      "leaves out what the mode does not know",
      { type: "string", minLength: 1, default: "x", format: "uri", pattern: "^(?!b)" },
      text,
      [
        { path: "/properties/a/minLength", change: "left out: strict mode does not know it" },
        { path: "/properties/a/default", change: "left out: strict mode does not know it" },
        { path: "/properties/a/pattern", change: "left out: strict mode does not know this value of it" },
        { path: "/properties/a/format", change: "left out: strict mode does not know this value of it" },
      ],
    ],
    ["of several types becomes a choice", { type: ["string", "integer"], description: "d" }, { description: "d", anyOf: [text, { type: "integer" }] }, []],
    ["that may be null stays so", { type: ["array", "null"], items: text }, { type: ["array", "null"], items: text }, []],
    ["of values without a type gets their types (google/adk-js#370)", { enum: ["a", 1, null] }, { anyOf: [{ type: "string", enum: ["a"] }, { type: "number", enum: [1] }, nothing] }, [{ path: "/properties/a/type", change: "a choice of one schema for each type" }]],
    ["of one constant gets its type", { const: 3 }, { type: "number", const: 3 }, []],
    ["of a choice of constants (anomalyco/opencode#12908)", { anyOf: [{ const: "json", description: "J" }, { const: "markdown" }] }, { anyOf: [{ type: "string", description: "J", const: "json" }, { type: "string", const: "markdown" }] }, []],
    ["that is one of several becomes any of them", { oneOf: [text, { type: "null" }] }, { anyOf: [text, nothing] }, [{ path: "/properties/a/oneOf", change: "became anyOf" }]],
    [
      "made of parts becomes one object",
      { allOf: [holding(text), { type: "object", properties: { b: text }, required: ["b"] }] },
      closed({ a: text, b: text }),
      [
        { path: "/properties/a/allOf", change: "its parts became one" },
        { path: "/properties/a/additionalProperties", change: "false: no other properties can be given" },
      ],
    ],
    ["that is a pair becomes a list", { type: "array", prefixItems: [text, text], minItems: 2 }, { type: "array", items: text, minItems: 2 }, [{ path: "/properties/a/prefixItems", change: "a list of its members in any order" }]],
    [
      "that says which of its properties go together loses that",
      { type: "object", properties: { b: text }, additionalProperties: false, required: ["b"], anyOf: [{ required: ["b"] }, { required: ["c"] }] },
      closed({ b: text }),
      [{ path: "/properties/a/anyOf", change: "left out: it only says which properties go together" }],
    ],
  ])("%s", (_what, given, written, changes) => {
    const form = forProvider(holding(given), "openai-strict")
    expect(form.refused).toEqual([])
    expect(form.parameters).toEqual(holding(written))
    expect(form.changes).toEqual(changes)
  })

  test.each<[string, unknown, unknown]>([
    ["a text", text, { type: ["string", "null"] }],
    ["values", { type: "string", enum: ["a"] }, { type: ["string", "null"], enum: ["a", null] }],
    ["a constant", { const: "a", description: "d" }, { description: "d", anyOf: [{ type: "string", const: "a" }, nothing] }],
    ["a choice", { anyOf: [text, { type: "number" }] }, { anyOf: [text, { type: "number" }, nothing] }],
    ["a choice that has null", { anyOf: [text, nothing] }, { anyOf: [text, nothing] }],
    ["an object", holding(text), { ...closed({ a: text }), type: ["object", "null"] }],
  ])("that may be left out may be null instead: %s", (_what, given, written) => {
    const form = forProvider({ ...holding(given), required: [] }, "openai-strict")
    expect(form.parameters).toEqual(holding(written))
    expect(form.changes).toEqual([{ path: "/properties/a", change: "required, and null stands for left out" }])
  })

  test.each<[string, unknown, ProviderChange]>([
    ["anything", {}, { path: "/properties/a", change: "a value of any type" }],
    ["anything, described", { description: "d" }, { path: "/properties/a", change: "a value of any type" }],
    ["a list of anything", { type: "array" }, { path: "/properties/a/items", change: "a value of any type" }],
    ["nothing", false, { path: "/properties/a", change: "no value is taken here" }],
    ["a map", { type: "object", additionalProperties: text }, { path: "/properties/a", change: "an object with names of its own choosing" }],
    ["any object", { type: "object" }, { path: "/properties/a", change: "an object with names of its own choosing" }],
    ["what leads nowhere", { $ref: "#/$defs/none" }, { path: "/properties/a", change: "a reference that leads nowhere" }],
    ["a type that is none", { type: "text" }, { path: "/properties/a", change: 'a type that is none: "text"' }],
    ["an object that requires what it does not name", { type: "object", properties: {}, required: ["b"], additionalProperties: false }, { path: "/properties/a", change: "a required property without a schema" }],
    ["more values than the mode takes", { enum: Array.from({ length: 1001 }, (_, index) => `v${String(index)}`) }, { path: "", change: "more than 1000 values of enums" }],
  ])("is refused with its place and reason, and goes out loosely, for %s", (_what, given, reason) => {
    const schema = holding(given)
    const form = forProvider(schema, "openai-strict")
    expect(form.refused).toEqual([reason])
    expect(form.parameters).toEqual(forProvider(schema, "openai").parameters)
    expect(form.changes).toEqual(forProvider(schema, "openai").changes)
  })
})

describe("references", () => {
  const node = { type: "object", properties: { value: text, children: { type: "array", items: { $ref: "#/definitions/node" } } }, required: ["value", "children"], additionalProperties: false }

  test("stay references, their definitions in one place and strict too", () => {
    const form = forProvider({ ...holding({ $ref: "#/definitions/node", description: "d" }), definitions: { node } }, "openai-strict")
    expect(form.parameters).toEqual({
      ...holding({ $ref: "#/$defs/node" }),
      $defs: { node: closed({ value: text, children: { type: "array", items: { $ref: "#/$defs/node" } } }) },
    })
    expect(form.changes).toEqual([{ path: "/properties/a/description", change: "left out: it stands beside a reference" }])
  })

  test("into the middle of the schema become definitions", () => {
    const schema = { type: "object", properties: { from: holding(text), to: { $ref: "#/properties/from" } }, required: ["from", "to"], additionalProperties: false }
    expect(forProvider(schema, "openai-strict").parameters).toEqual({ ...closed({ from: holding(text), to: { $ref: "#/$defs/from" } }), $defs: { from: holding(text) } })
  })
})

describe("the arguments of a model that keeps to the strict form", () => {
  const schema = {
    type: "object",
    properties: {
      a: text,
      maybe: { type: ["string", "null"] },
      list: { type: "array", items: { type: "object", properties: { x: text, y: text }, required: ["x"] } },
      choice: { anyOf: [{ type: "object", properties: { kind: { const: "one" }, b: text }, required: ["kind"] }, { type: "object", properties: { kind: { const: "two" }, b: { type: ["number", "null"] } }, required: ["kind"] }] },
      tree: { $ref: "#/$defs/tree" },
    },
    required: ["list"],
    $defs: { tree: { type: "object", properties: { value: text, next: { $ref: "#/$defs/tree" } } } },
  }

  test.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ["lose the nulls that stand for what was left out", { a: null, list: [], choice: null, tree: null }, { list: [] }],
    ["keep a null that the server takes", { maybe: null, list: [] }, { maybe: null, list: [] }],
    ["lose them in lists", { list: [{ x: "1", y: null }] }, { list: [{ x: "1" }] }],
    ["keep a null that the server will refuse, where it is required", { list: [{ x: null, y: "2" }] }, { list: [{ x: null, y: "2" }] }],
    ["lose them in the branch that is meant", { list: [], choice: { kind: "one", b: null } }, { list: [], choice: { kind: "one" } }],
    ["keep them in the branch that takes them", { list: [], choice: { kind: "two", b: null } }, { list: [], choice: { kind: "two", b: null } }],
    ["lose them behind references", { list: [], tree: { value: null, next: { value: "x", next: null } } }, { list: [], tree: { next: { value: "x" } } }],
    ["keep what the schema does not name", { list: [], other: null }, { list: [], other: null }],
  ])("%s", (_what, given, expected) => {
    const { restore, refused } = forProvider(schema, "openai-strict")
    expect(refused).toEqual([])
    expect(restore(given)).toEqual(expected)
  })
})

test("definitions say whether they are strict", () => {
  const spec = (name: string, a: unknown) => specFromJSON({ namespace: "s", name, version: "1", type: "mutation", description: "", inputSchema: holding(a), outputSchema: {} })
  const fit = toToolDefinitions([spec("good", text), spec("any", {})], { provider: "openai-strict" })
  expect(toOpenAITools(fit).map((tool) => [tool.function.name, tool.function.strict])).toEqual([["s__good", true], ["s__any", false]])
})
