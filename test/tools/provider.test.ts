/**
 * What providers refuse in parameters is taken out, reported, and put back where a call needs it.
 */
import { describe, expect, test } from "vitest"
import { forProvider, type Provider, type ProviderChange } from "../../src/tools.js"

const text = { type: "string" }
const number = { type: "number" }

describe("the parameters for a provider", () => {
  test.each<[string, Provider, Record<string, unknown>, Record<string, unknown>, ProviderChange[]]>([
    [
      "are the server's own where nothing is refused, keywords of every kind included",
      "openai",
      { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { a: { anyOf: [text, number] }, b: { $ref: "#/$defs/b" } }, $defs: { b: { not: text } } },
      { $schema: "http://json-schema.org/draft-07/schema#", type: "object", properties: { a: { anyOf: [text, number] }, b: { $ref: "#/$defs/b" } }, $defs: { b: { not: text } } },
      [],
    ],
    ["get a type at the root", "anthropic", { properties: { a: text } }, { type: "object", properties: { a: text } }, [{ path: "/type", change: 'added "object"' }]],
    [
      "get one type at the root",
      "anthropic",
      { type: ["object", "null"], properties: {} },
      { type: "object", properties: {} },
      [{ path: "/type", change: '"object" in place of ["object","null"]' }],
    ],
    [
      "name the properties of every branch of a choice, and require what all of them require",
      "openai",
      { anyOf: [{ type: "object", properties: { a: text, b: text }, required: ["a", "b"] }, { type: "object", properties: { a: number, c: text }, required: ["a"] }] },
      { type: "object", properties: { a: { anyOf: [text, number] }, b: text, c: text }, required: ["a"] },
      [
        { path: "/type", change: 'added "object"' },
        { path: "/anyOf", change: "the properties of all its branches became properties of the root" },
      ],
    ],
    [
      "require what any part of an allOf requires",
      "anthropic",
      { type: "object", allOf: [{ properties: { a: text }, required: ["a"] }, { $ref: "#/$defs/b" }], $defs: { b: { properties: { b: number }, required: ["b"] } } },
      { type: "object", properties: { a: text, b: number }, required: ["a", "b"], $defs: { b: { properties: { b: number }, required: ["b"] } } },
      [{ path: "/allOf", change: "its parts became properties of the root" }],
    ],
    [
      "hold what a reference at the root leads to",
      "openai",
      { $ref: "#/definitions/in", definitions: { in: { type: "object", properties: { a: text } } } },
      { type: "object", properties: { a: text }, definitions: { in: { type: "object", properties: { a: text } } } },
      [{ path: "/$ref", change: "replaced by what it leads to" }],
    ],
    [
      "hold any object where a reference at the root leads nowhere",
      "openai",
      { $ref: "https://example.com/x.json" },
      { type: "object", properties: {} },
      [
        { path: "/$ref", change: "left out: it leads nowhere" },
        { path: "/type", change: 'added "object"' },
        { path: "/properties", change: "added, with nothing in it" },
      ],
    ],
    [
      "say for OpenAI what an array holds",
      "openai",
      { type: "object", properties: { list: { type: "array" }, enum: { type: ["array", "null"] }, pair: { type: "array", prefixItems: [text] } }, examples: [{ type: "array" }] },
      {
        type: "object",
        properties: { list: { type: "array", items: {} }, enum: { type: ["array", "null"], items: {} }, pair: { type: "array", prefixItems: [text] } },
        examples: [{ type: "array" }],
      },
      [
        { path: "/properties/list/items", change: "added: any item" },
        { path: "/properties/enum/items", change: "added: any item" },
      ],
    ],
  ])("%s", (_what, provider, schema, parameters, changes) => {
    const before = structuredClone(schema)
    const form = forProvider(schema, provider)
    expect({ parameters: form.parameters, changes: form.changes }).toEqual({ parameters, changes })
    expect(schema).toEqual(before)
    expect(forProvider(form.parameters, provider).changes).toEqual([])
  })

  test("spell names of properties as Anthropic wants them, and arguments get the server's names back", () => {
    const schema = {
      type: "object",
      properties: { "filter[id]": text, filter_id: text, $top: number, ["long".repeat(20)]: text, plain: text },
      required: ["filter[id]", "plain"],
    }
    const { parameters, changes, restore } = forProvider(schema, "anthropic")
    const names = Object.keys(parameters["properties"] ?? {})
    expect(names.filter((name) => !/^[A-Za-z0-9_.-]{1,64}$/.test(name))).toEqual([])
    expect(names.length).toBe(5)
    expect(names.slice(1, 3)).toEqual(["filter_id", "top"])
    expect(changes.map(({ path }) => path)).toEqual(["/properties/filter[id]", "/properties/$top", `/properties/${"long".repeat(20)}`])
    expect(parameters["required"]).toEqual([names[0], "plain"])
    expect(restore({ [String(names[0])]: "1", filter_id: "2", top: 3, plain: "x", unknown: 4 })).toEqual({ "filter[id]": "1", filter_id: "2", $top: 3, plain: "x", unknown: 4 })
  })

  test("may name a property like a member of Object.prototype", () => {
    const schema: Record<string, unknown> = JSON.parse('{"anyOf":[{"properties":{"__proto__":{"type":"string"},"toString":{"type":"number"}}}]}')
    const { parameters } = forProvider(schema, "openai")
    expect(JSON.stringify(parameters["properties"])).toBe('{"__proto__":{"type":"string"},"toString":{"type":"number"}}')
  })
})
