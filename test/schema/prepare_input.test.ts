import { describe, expect, test } from "vitest"
import { collectErrors, FromSchema, prepareInput } from "../../src/schema.js"

const search = FromSchema({
  type: "object",
  required: ["query"],
  properties: {
    query: { type: "string" },
    limit: { type: "integer", default: 20 },
    exact: { type: "boolean" },
    note: { type: ["string", "null"], default: null },
    filter: { type: "object", properties: { by: { type: "string", default: "name" } } },
    // github/copilot-cli#1876: a default of the wrong type.
    broken: { type: "string", default: 5 },
  },
})

describe("without options", () => {
  // anthropics/claude-code#3966, mastra-ai/mastra#13419: arguments that were changed on their way.
  test.each([[{ query: "a" }], [{ query: 5, limit: "7" }], [{ query: null }], [{}], [null], [undefined], ["text"], [[1]]])("%j goes on as the same reference", (input) => {
    expect(prepareInput(search, input)).toBe(input)
    expect(prepareInput(search, input, { defaults: false, coerce: undefined })).toBe(input)
  })

  test("a wrong null is an issue at its path, not something to leave out", () => {
    const schema = FromSchema({ type: "object", properties: { a: { type: "string" }, b: { type: "string" } } })
    const input = { a: null, b: "x" }
    expect(prepareInput(schema, input)).toBe(input)
    expect(collectErrors(schema, input)).toMatchObject([{ path: "/a", keyword: "type" }])
  })
})

describe("with defaults", () => {
  test("missing members with a default are added, those whose default is wrong are not", () => {
    expect(prepareInput(search, { query: "a" }, { defaults: true })).toStrictEqual({ query: "a", limit: 20, note: null })
  })

  test("members of objects that were given are filled in, objects that were not are not made", () => {
    expect(prepareInput(search, { filter: {} }, { defaults: true })).toStrictEqual({ filter: { by: "name" }, limit: 20, note: null })
  })

  test("what was given stays, also where it is wrong", () => {
    expect(prepareInput(search, { query: 5, limit: null, note: "x" }, { defaults: true })).toStrictEqual({ query: 5, limit: null, note: "x" })
  })

  test("the same reference comes back where nothing is missing", () => {
    const input = { query: "a", limit: 1, note: null, filter: { by: "id" } }
    expect(prepareInput(search, input, { defaults: true, coerce: true })).toBe(input)
  })

  test("the input itself is not written to", () => {
    const input = Object.freeze({ query: "a", filter: Object.freeze({}) })
    prepareInput(search, input, { defaults: true })
    expect(input).toStrictEqual({ query: "a", filter: {} })
  })
})

describe("with coercion", () => {
  const one = (schema: object, value: unknown): unknown =>
    (prepareInput(FromSchema({ type: "object", properties: { v: schema } }), { v: value }, { coerce: true }) as { v: unknown }).v
  const [integer, number, boolean, text] = [{ type: "integer" }, { type: "number" }, { type: "boolean" }, { type: "string" }]

  const rows: [schema: object, value: unknown, coerced: unknown][] = [
    [integer, "5", 5],
    [integer, "-12", -12],
    [integer, "41.9", "41.9"],
    [integer, "5 apples", "5 apples"],
    [integer, "", ""],
    [integer, " 5", " 5"],
    [integer, "0x10", "0x10"],
    [integer, "05", "05"],
    [number, "12.50", 12.5],
    [number, "1e3", 1000],
    [number, "1e999", "1e999"],
    [number, "NaN", "NaN"],
    [number, true, true],
    // anthropics/claude-code#78762: 19 digits do not survive as a number.
    [integer, "2512292042121000001", "2512292042121000001"],
    [integer, "9007199254740991", 9007199254740991],
    [number, "0.12345678901234567890", "0.12345678901234567890"],
    [boolean, "true", true],
    [boolean, "false", false],
    [boolean, "yes", "yes"],
    [boolean, 1, 1],
    [text, 5, "5"],
    [text, true, "true"],
    [text, null, null],
    [{ type: "null" }, "null", "null"],
    [{ type: ["integer", "string"] }, "5", "5"],
    [{ anyOf: [integer, { type: "null" }] }, "5", 5],
    [{ type: "integer", minimum: 10 }, "5", "5"],
    [{ enum: [1, 2] }, "2", 2],
    [{ type: "array", items: integer }, ["1", 2, "x"], [1, 2, "x"]],
    [{ type: "array", items: integer }, "1", "1"],
    [{}, "5", "5"],
  ]
  test.each(rows)("%j and %j gives %j", (schema, value, coerced) => expect(one(schema, value)).toStrictEqual(coerced))

  test("both options work together, defaults as they are stated", () => {
    expect(prepareInput(search, { query: 5, exact: "true" }, { defaults: true, coerce: true })).toStrictEqual({ query: "5", exact: true, limit: 20, note: null })
  })
})

test("an input that contains itself, or is nested without end, comes back as it was", () => {
  const schema = FromSchema({ type: "object", properties: { filter: { $ref: "#" }, limit: { type: "integer", default: 5 } } })
  const circle: Record<string, unknown> = { query: "a" }
  circle["filter"] = circle
  let deep: object = {}
  for (let level = 0; level < 100_000; level++) deep = { filter: deep }
  for (const input of [circle, deep]) expect(prepareInput(schema, input, { defaults: true, coerce: true })).toBe(input)
})
