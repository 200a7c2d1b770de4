/**
 * The policy `repair`: what the schema states is filled in where it is missing and required, and nothing else is touched.
 */
import { Type } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { conform, FromSchema, type DataChange } from "../../src/schema.js"

const added = (path: string, to: unknown): DataChange => ({ path, kind: "added", to, origin: "default" })
const text = { type: "string" }
const stated = { type: "string", default: "stated" }
const needs = (...names: string[]) => ({ type: "object", required: names })

interface Row {
  what: string
  schema: object
  sent: unknown
  data: unknown
  changes: DataChange[]
}

const REPAIRED: Row[] = [
  {
    what: "a required member with a default, beside undeclared members",
    schema: { ...needs("a", "b"), properties: { a: stated, b: text } },
    sent: { b: "sent", extra: 1 },
    data: { a: "stated", b: "sent", extra: 1 },
    changes: [added("/a", "stated")],
  },
  {
    what: "not an optional member with a default",
    schema: { ...needs("a"), properties: { a: stated, b: { type: "number", default: 5 } } },
    sent: {},
    data: { a: "stated" },
    changes: [added("/a", "stated")],
  },
  {
    what: "members of members and of items, by reference where nothing was missing",
    schema: { type: "object", properties: { o: { ...needs("a"), properties: { a: stated } }, list: { type: "array", items: { $ref: "#/properties/o" } } } },
    sent: { o: {}, list: [{ a: "x" }, {}] },
    data: { o: { a: "stated" }, list: [{ a: "x" }, { a: "stated" }] },
    changes: [added("/o/a", "stated"), added("/list/1/a", "stated")],
  },
  {
    what: "through definitions, also where the reference has a default of its own",
    schema: {
      ...needs("a", "b"),
      properties: { a: { $ref: "#/$defs/A" }, b: { $ref: "#/$defs/A", default: "own" } },
      $defs: { A: stated },
    },
    sent: {},
    data: { a: "stated", b: "own" },
    changes: [added("/a", "stated"), added("/b", "own")],
  },
  {
    what: "through all parts of allOf, one requiring what another declares",
    schema: { allOf: [{ type: "object", properties: { a: stated } }, needs("a")] },
    sent: { extra: true },
    data: { a: "stated", extra: true },
    changes: [added("/a", "stated")],
  },
  {
    what: "in the alternative whose tag was sent",
    schema: {
      anyOf: ["x", "y"].map((tag) => ({ ...needs("tag", "a"), properties: { tag: { const: tag }, a: { type: "string", default: `of ${tag}` } } })),
    },
    sent: { tag: "y" },
    data: { tag: "y", a: "of y" },
    changes: [added("/a", "of y")],
  },
  {
    what: "where a condition holds",
    schema: {
      type: "object",
      properties: { mode: text, size: { type: "integer", default: 10 } },
      if: { properties: { mode: { const: "big" } }, required: ["mode"] },
      then: { required: ["size"] },
    },
    sent: { mode: "big" },
    data: { mode: "big", size: 10 },
    changes: [added("/size", 10)],
  },
  {
    what: "what another member asks for",
    schema: { type: "object", properties: { a: text, b: stated }, dependentRequired: { a: ["b"] } },
    sent: { a: "x" },
    data: { a: "x", b: "stated" },
    changes: [added("/b", "stated")],
  },
  {
    what: "in members that match a pattern, and in additional ones",
    schema: { type: "object", patternProperties: { "^p": { $ref: "#/$defs/N" } }, additionalProperties: { $ref: "#/$defs/N" }, $defs: { N: { ...needs("a"), properties: { a: stated } } } },
    sent: { p1: {}, q: {} },
    data: { p1: { a: "stated" }, q: { a: "stated" } },
    changes: [added("/p1/a", "stated"), added("/q/a", "stated")],
  },
  {
    what: "in items by their position",
    schema: { type: "array", prefixItems: [{ ...needs("a"), properties: { a: stated } }], items: { ...needs("b"), properties: { b: stated } } },
    sent: [{}, {}],
    data: [{ a: "stated" }, { b: "stated" }],
    changes: [added("/0/a", "stated"), added("/1/b", "stated")],
  },
  {
    what: "down a recursive schema",
    schema: { ...needs("id"), properties: { id: stated, next: { $ref: "#" } } },
    sent: { next: { next: { id: "last" } } },
    data: { id: "stated", next: { id: "stated", next: { id: "last" } } },
    changes: [added("/next/id", "stated"), added("/id", "stated")],
  },
]

describe("fills in", () => {
  for (const { what, schema, sent, data, changes } of REPAIRED) {
    test(what, () => {
      const repaired = conform(FromSchema(schema), sent, "repair")
      expect(repaired).toMatchObject({ conformance: "cast", changes })
      expect(repaired.data).toStrictEqual(data)
      expect(repaired.issues).not.toHaveLength(0)
    })
  }

  test("the defaults of a schema that was written in TypeBox", () => {
    const schema = Type.Object({ a: Type.String({ default: "stated" }), o: Type.Object({ n: Type.Number({ default: 5 }) }) })
    expect(conform(schema, { o: { extra: 1 } }, "repair")).toMatchObject({
      data: { a: "stated", o: { n: 5, extra: 1 } },
      conformance: "cast",
      changes: [added("/o/n", 5), added("/a", "stated")],
    })
  })

  test("a default of its own for each place", () => {
    const schema = FromSchema({ type: "array", items: { ...needs("list"), properties: { list: { type: "array", default: [1] } } } })
    const { data } = conform(schema, [{}, {}], "repair")
    const [first, second] = data as { list: number[] }[]
    expect(first?.list).toStrictEqual([1])
    expect(first?.list).not.toBe(second?.list)
  })
})

const LEFT: [what: string, schema: object, sent: unknown][] = [
  ["a required member without a default", { ...needs("a"), properties: { a: text } }, {}],
  // github/copilot-cli#1876: defaults of a type that the schema itself refuses.
  ["a default that its own schema refuses", { ...needs("a"), properties: { a: { type: "string", default: null } } }, {}],
  ["a wrong value with a default", { ...needs("a"), properties: { a: stated } }, { a: 5 }],
  ["null with a default", { ...needs("a"), properties: { a: stated } }, { a: null }],
  ["an undeclared member where none is allowed", { ...needs("a"), properties: { a: stated }, additionalProperties: false }, { b: 1 }],
  // sinclairzx81/typebox#880: the tag of a union is rewritten and the object claims to be another variant.
  [
    "an unknown tag",
    { anyOf: [{ ...needs("k", "n"), properties: { k: { const: "x" }, n: { type: "number", default: 0 } } }, { ...needs("k", "s"), properties: { k: { const: "y" }, s: text } }] },
    { k: "z", s: "keep" },
  ],
  [
    "a value that two alternatives of oneOf could mean",
    { oneOf: [{ ...needs("a"), properties: { a: stated } }, { ...needs("b"), properties: { b: stated } }] },
    {},
  ],
  ["text for an object", { ...needs("a"), properties: { a: stated } }, "x"],
  ["a reference that goes around", { ...needs("a"), properties: { a: { $ref: "#/properties/a" }, b: text } }, { b: 1 }],
]

describe("leaves as it was sent", () => {
  test.each(LEFT)("%s", (_, schema, sent) => {
    const { data, conformance, changes, issues } = conform(FromSchema(schema), sent, "repair")
    expect({ conformance, changes }).toStrictEqual({ conformance: "invalid", changes: [] })
    expect(data).toBe(sent)
    expect(issues).not.toHaveLength(0)
  })
})
