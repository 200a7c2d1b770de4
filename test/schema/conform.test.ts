/**
 * What holds for `conform` whatever the schema: the root is kept, right values stay who they are, strangers do no harm.
 * The ways in which Cast damages values stand in conform_damage_values.test.ts and conform_damage_structures.test.ts.
 */
import { Kind, Type, type TSchema } from "@sinclair/typebox"
import { describe, expect, test } from "vitest"
import { conform, FromSchema } from "../../src/schema.js"
import { added, replaced } from "./outcome.js"

const object = Type.Object
const number = Type.Number()
const text = Type.String()
const tags = Type.Union([object({ type: Type.Literal("a"), x: number }), object({ type: Type.Literal("b"), y: number })])
const tree = Type.Recursive((self) => object({ id: text, children: Type.Array(self) }), { $id: "Tree" })

test("a default that is text is spread over a list that has to be longer, as Value.Cast does", () => {
  const schema = object({ list: Type.Array(number, { default: "b", minItems: 3 }) })
  expect(conform(schema, {})).toMatchObject({ data: { list: [0, 0, 0] }, conformance: "cast", changes: [added("/list", [0, 0, 0])] })
})

describe("the root is kept or the value stays as it was sent", () => {
  const person = object({ name: text, age: Type.Optional(number) })
  const roots: [what: string, schema: TSchema, sent: unknown][] = [
    ["null for an object", person, null],
    ["an empty list for an object", person, []],
    ["text for an object", person, "x"],
    ["a list of objects for an object", person, [{ name: "a" }]],
    ["an object for a list", Type.Array(person), { name: "a" }],
    ["a list for a record", Type.Record(text, number), [1]],
    ["null for an intersection", Type.Intersect([person, object({ n: number })]), null],
    ["text for a union of objects", tags, "a"],
    ["text for an object with a default", object({ n: number }, { default: { n: 1 } }), "x"],
    ["text for a number", number, "5"],
    ["a fraction for an integer", Type.Integer(), 41.9],
    ["undefined for an object", person, undefined],
  ]
  test.each(roots)("%s", (_, schema, sent) => {
    for (const policy of ["cast", "repair", "raw"] as const) {
      const { data, conformance, changes, issues } = conform(schema, sent, policy)
      expect({ conformance, changes }).toStrictEqual({ conformance: "invalid", changes: [] })
      expect(data).toBe(sent)
      expect(issues.length).toBeGreaterThan(0)
    }
  })

  test("an empty object becomes one with every required member, each reported as invented", () => {
    expect(conform(person, {})).toMatchObject({ data: { name: "" }, conformance: "cast", changes: [added("/name", "")] })
  })
})

describe("a value that fits", () => {
  test("is handed on as the same reference under every policy", () => {
    const schema = object({ list: Type.Array(Type.Union([text, number])), r: Type.Record(text, number) })
    const sent = { list: ["a", 1], r: { a: 1 }, extra: {} }
    for (const policy of ["cast", "repair", "raw"] as const) {
      expect(conform(schema, sent, policy)).toStrictEqual({ data: sent, conformance: "exact", issues: [], changes: [] })
      expect(conform(schema, sent, policy).data).toBe(sent)
    }
  })

  test("is handed on by reference inside one that does not", () => {
    const schema = object({ n: number, rows: Type.Array(object({ id: number })) })
    const sent = { n: "1", rows: [{ id: 1, extra: true }] }
    expect((conform(schema, sent).data as typeof sent).rows).toBe(sent.rows)
  })
})

describe("values that strangers make", () => {
  const anything = Type.Record(text, Type.Unknown())

  test("__proto__ stays an own key and nobody's prototype, also beside a wrong member", () => {
    const sent = JSON.parse('{"n":"x","__proto__":{"admin":true}}') as object
    const { data, changes } = conform(object({ n: number }, { additionalProperties: anything }), sent)
    expect(Object.keys(data as object)).toStrictEqual(["n", "__proto__"])
    expect(Object.getPrototypeOf(data)).toBe(Object.prototype)
    expect((data as { admin?: unknown }).admin).toBeUndefined()
    expect(changes).toStrictEqual([replaced("/n", "x", 0)])
  })

  test("a member that only the prototype has is missing", () => {
    const { data } = conform(object({ n: number, constructor: Type.Optional(Type.Unknown()) }), { n: "x" })
    expect(Object.keys(data as object)).not.toContain("__proto__")
  })

  test("a value that contains itself does not fit and does not hang", () => {
    const sent: Record<string, unknown> = { id: 7, children: [] }
    sent["children"] = [sent]
    for (const policy of ["cast", "repair", "raw"] as const) {
      const { data, conformance } = conform(tree, sent, policy)
      expect(conformance).toBe("invalid")
      expect(data).toBe(sent)
    }
  })

  test("a value nested a hundred thousand deep does not overflow the stack", () => {
    let sent: unknown = { id: 7, children: [] }
    for (let level = 0; level < 100_000; level++) sent = { id: "x", children: [sent] }
    for (const policy of ["cast", "repair", "raw"] as const) {
      const { data, conformance } = conform(tree, sent, policy)
      expect(conformance).toBe("invalid")
      expect(data).toBe(sent)
    }
  })

  test("a wrong leaf 500 levels down (250 of the tree) is cast where it stands", () => {
    let sent: unknown = { id: 7, children: [] }
    for (let level = 0; level < 250; level++) sent = { id: "x", children: [sent] }
    const { conformance, changes } = conform(tree, sent)
    expect(conformance).toBe("cast")
    expect(changes).toStrictEqual([replaced(`${"/children/0".repeat(250)}/id`, 7, "")])
  })

  test("a value whose parts stand in 2^60 places is given up, and so is the search for what is wrong with it", () => {
    let sent: unknown = { id: 7, children: [] }
    for (let level = 0; level < 60; level++) sent = { id: "x", children: [sent, sent] }
    expect(conform(tree, sent)).toMatchObject({ conformance: "invalid", issues: [{ path: "", keyword: "depth" }] })
  })

  test("a schema that looks at each part of a value in two ways, 200 levels down, casts where it is wrong", () => {
    const schema = FromSchema({
      $ref: "#/$defs/T",
      $defs: {
        T: {
          type: "object",
          required: ["v"],
          properties: { v: { type: "string" }, a: { anyOf: [{ allOf: [{ $ref: "#/$defs/T" }], required: ["x"] }, { $ref: "#/$defs/T" }] } },
        },
      },
    })
    let sent: unknown = { v: 7 }
    for (let level = 0; level < 200; level++) sent = { v: "x", a: sent }
    expect(conform(schema, sent)).toMatchObject({ conformance: "cast", changes: [replaced(`${"/a".repeat(200)}/v`, 7, "")] })
    expect(conform(schema, sent, "repair").conformance).toBe("invalid")
  })

  test("a schema whose skeleton would have 2^100 members is given up at once", () => {
    const defs: Record<string, TSchema> = { D0: { ...object({ n: number }), $id: "D0" } }
    for (let level = 1; level <= 100; level++) {
      const below = Type.Ref(`D${level - 1}`)
      defs[`D${level}`] = { ...object({ l: below, r: below }), $id: `D${level}` }
    }
    const schema = Type.Unsafe({ [Kind]: "Import", $defs: defs, $ref: "D100" })
    expect(conform(schema, {}).conformance).toBe("invalid")
  })

  test("a list that asks for a billion items, and a text for a billion characters, are given up at once", () => {
    expect(conform(object({ list: Type.Array(number, { minItems: 1e9 }) }), { list: [] }).conformance).toBe("invalid")
    expect(conform(object({ list: Type.Array(number, { minItems: 1e9 }) }), {}).conformance).toBe("invalid")
    expect(conform(object({ s: Type.String({ minLength: 1e9 }) }), { s: "" }).conformance).toBe("invalid")
  })

  test("a kind that nobody registered makes the value invalid and throws nothing", () => {
    const { conformance, data } = conform(object({ v: Type.Unsafe({ [Kind]: "test:Nobody" }) }), { v: 1 })
    expect({ conformance, data }).toStrictEqual({ conformance: "invalid", data: { v: 1 } })
  })
})

describe("schemas for which TypeCompiler makes a wrong check", () => {
  const either = Type.Union([text, Type.Unknown()])
  const closed = object({ a: either }, { additionalProperties: false })
  const nested = object({}, { additionalProperties: object({}, { additionalProperties: number }) })
  const record = object({ r: Type.Record(Type.String({ pattern: "^a" }), text, { additionalProperties: number }) })

  test.each([
    ["additionalProperties inside additionalProperties", nested, { a: { b: 1 } }, { a: { b: "1" } }, { a: { b: 0 } }],
    ["a closed object with a required member that may be undefined", object({ c: closed, n: number }), { c: {}, n: 1 }, { c: {}, n: "1" }, { c: {}, n: 0 }],
    ["additionalProperties beside a record's pattern", record, { r: { a: "x", b: 1 } }, { r: { a: 5, b: 1 } }, undefined],
  ])("%s", (_, schema, right, wrong, cast) => {
    expect(conform(schema, right).data).toBe(right)
    expect(conform(schema, right).conformance).toBe("exact")
    const { conformance, data } = conform(schema, wrong)
    expect({ conformance, data }).toStrictEqual(cast === undefined ? { conformance: "invalid", data: wrong } : { conformance: "cast", data: cast })
  })
})

describe("schemas that came from JSON Schema", () => {
  test("a required member of which nothing is asked is not filled with undefined, which JSON would lose", () => {
    const source = { type: "object", required: ["a", "n"], properties: { a: {}, n: { type: "number" } } } as const
    const sent = { n: "x" }
    expect(conform(FromSchema(source), sent)).toMatchObject({ data: sent, conformance: "invalid", changes: [] })
    // TypeBox's own schemas speak of JavaScript, where that is what Cast gives.
    const { data, conformance } = conform(object({ a: Type.Unknown(), n: number }), sent)
    expect(conformance).toBe("cast")
    expect(data).toStrictEqual({ a: undefined, n: 0 })
  })

  // sinclairzx81/typebox#591: a good value is replaced by the default, a wrong one makes Cast throw.
  test("a format is an annotation and a pattern that does not match keeps the value", () => {
    const schema = FromSchema({
      type: "object",
      properties: { email: { type: "string", format: "email", default: "d@d.d" }, p: { type: "string", pattern: "^[a-z]+$" } },
    })
    const sent = { email: "a@b.co", p: "A1" }
    const { data, conformance, issues } = conform(schema, sent)
    expect({ data, conformance }).toStrictEqual({ data: { email: "a@b.co", p: "A1" }, conformance: "invalid" })
    expect(issues).toMatchObject([{ path: "/p", keyword: "pattern" }])
  })

  // sinclairzx81/typebox#628: a value that was invented looks right, and the mistake is found far away.
  test("what did not fit and what was invented is told", () => {
    const schema = FromSchema({ type: "object", properties: { n: { type: "number" }, s: { type: "string" } }, required: ["n", "s"] })
    const { issues, changes } = conform(schema, { n: "42" })
    expect(issues.map(({ path, keyword }) => [path, keyword]).sort()).toStrictEqual([
      ["/n", "type"],
      ["/s", "required"],
    ])
    expect(changes).toStrictEqual([replaced("/n", "42", 0), added("/s", "")])
    expect(conform(schema, { n: "42" }, "raw")).toMatchObject({ data: { n: "42" }, conformance: "invalid" })
    expect(conform(schema, { n: 42, s: "" })).toStrictEqual({ data: { n: 42, s: "" }, conformance: "exact", issues: [], changes: [] })
  })

  // sinclairzx81/typebox#880: no branch fits, the nearest is forced.
  test.each([
    ["branches in place", (branches: object[]) => ({ anyOf: branches })],
    ["branches by reference", ([x, y]: object[]) => ({ anyOf: [{ $ref: "#/$defs/x" }, { $ref: "#/$defs/y" }], $defs: { x, y } })],
  ])("an unknown tag: told under cast, kept under raw and repair (%s)", (_, make) => {
    const branch = (tag: string, key: string, type: string) => ({ type: "object", required: ["k", key], properties: { k: { const: tag }, [key]: { type } } })
    const schema = FromSchema(make([branch("x", "n", "number"), branch("y", "s", "string")]))
    const sent = { k: "z", s: "keep" }
    expect(conform(schema, sent)).toMatchObject({ data: { k: "y", s: "keep" }, conformance: "cast", changes: [replaced("/k", "z", "y")] })
    for (const policy of ["raw", "repair"] as const) {
      const { data, conformance, issues } = conform(schema, sent, policy)
      expect(conformance).toBe("invalid")
      expect(data).toBe(sent)
      expect(issues.some(({ path }) => path === "/k" || path === "")).toBe(true)
    }
  })

  // sinclairzx81/typebox#278: parts of an allOf that close each other out.
  test("an allOf that nothing can fit keeps the value and says so", () => {
    const schema = FromSchema({
      allOf: [
        { type: "object", properties: { x: { type: "number" } }, additionalProperties: false },
        { type: "object", properties: { y: { type: "number" } } },
      ],
    })
    const { data, conformance, issues } = conform(schema, { x: 1, y: 2 })
    expect({ data, conformance }).toStrictEqual({ data: { x: 1, y: 2 }, conformance: "invalid" })
    expect(issues).toMatchObject([{ path: "/y", keyword: "additionalProperties" }])
  })

  // FastMCP wraps plain values; an object of that shape is nobody's wrapper.
  test("a member called result is not unwrapped", () => {
    const schema = FromSchema({ type: "object", properties: { result: { type: "string" } }, required: ["result"], "x-fastmcp-wrap-result": true })
    expect(conform(schema, { result: "x\ny" }).data).toStrictEqual({ result: "x\ny" })
  })
})
