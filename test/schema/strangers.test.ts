/** Schemas and values that nobody means well by, through the door and through TypeBox: they end soon, and right. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { collectErrors, compile, conform, FromSchema, lossOf, validateOrThrow } from "../../src/schema.js"

const LIMIT_MS = 100
const TURNS = 10

/** Processor time, since other processes take turns on the machine: the least of ten runs, or the first one within the limit. */
function processorMs(run: (turn: number) => unknown): number {
  let least = Infinity
  for (let turn = 1; turn <= TURNS && least >= LIMIT_MS; turn++) {
    const before = process.cpuUsage()
    run(turn)
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1_000)
  }
  return least
}

function throws(run: () => void): boolean {
  try {
    run()
    return false
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "VALIDATION_ERROR") return true
    throw error
  }
}

/** What every road says of a value; they have to agree. */
function verdicts(schema: unknown, value: unknown): Record<string, boolean> {
  const converted = FromSchema(schema)
  return {
    compile: compile(converted)(value),
    collectErrors: collectErrors(converted, value).length === 0,
    validateOrThrow: !throws(() => validateOrThrow(converted, value, "the value")),
    conform: conform(converted, value).conformance === "exact",
    check: Value.Check(converted, value),
    compiled: TypeCompiler.Compile(converted).Check(value),
    errors: [...Value.Errors(converted, value)].length === 0,
  }
}

function expectAll(schema: unknown, value: unknown, fits: boolean): void {
  const all = { compile: fits, collectErrors: fits, validateOrThrow: fits, conform: fits, check: fits, compiled: fits, errors: fits }
  expect({ value, ...verdicts(schema, value) }).toEqual({ value, ...all })
}

/** Built from JSON text, since a literal's `__proto__` is no member. */
function parsed(text: string): unknown {
  return JSON.parse(text)
}

const INHERITED = ["__proto__", "constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__defineGetter__", "__lookupSetter__", "prototype", "length"]

describe.each(INHERITED)("the member %s", (name) => {
  const key = JSON.stringify(name)

  test("is missing where it is only inherited", () => {
    expectAll(parsed(`{"type":"object","required":[${key}]}`), {}, false)
    expectAll(parsed(`{"type":"object","properties":{${key}:true},"required":[${key}]}`), {}, false)
    expectAll(parsed(`{"type":"object","properties":{${key}:{"type":"string"}}}`), {}, true)
    expectAll(parsed(`{"type":"object","properties":{${key}:false}}`), {}, true)
    expectAll(parsed(`{"type":"object","dependentRequired":{${key}:["a"]}}`), {}, true)
    expectAll(parsed(`{"type":"object","dependentRequired":{"a":[${key}]}}`), { a: 1 }, false)
    expectAll(parsed(`{"type":"object","minProperties":1}`), {}, false)
  })

  test("is checked as any other where it is there", () => {
    const value = parsed(`{${key}:1}`)
    expectAll(parsed(`{"type":"object","required":[${key}]}`), value, true)
    expectAll(parsed(`{"type":"object","properties":{${key}:{"type":"string"}}}`), value, false)
    expectAll(parsed(`{"type":"object","properties":{${key}:{"type":"number"}},"required":[${key}],"additionalProperties":false}`), value, true)
    expectAll(parsed(`{"type":"object","additionalProperties":{"type":"string"}}`), value, false)
    expectAll(parsed(`{"type":"object","additionalProperties":false}`), value, false)
    expectAll(parsed(`{"type":"object","unevaluatedProperties":false}`), value, false)
    expectAll(parsed(`{"type":"object","propertyNames":{"maxLength":1}}`), value, false)
    expectAll(parsed(`{"type":"object","patternProperties":{"^.*$":{"type":"string"}}}`), value, false)
    expectAll(parsed(`{"const":{${key}:1}}`), value, true)
    expectAll(parsed(`{"const":{${key}:2}}`), value, false)
    expectAll(parsed(`{"enum":[{},{${key}:2}]}`), value, false)
    expectAll(parsed(`{"type":"array","uniqueItems":true}`), [value, {}], true)
    expectAll(parsed(`{"type":"array","uniqueItems":true}`), [value, parsed(`{${key}:1}`)], false)
  })

  test("may name a definition, and names none that is not there", () => {
    const pointer = `#/$defs/${name}`
    expectAll(parsed(`{"$ref":"${pointer}","$defs":{${key}:{"type":"string"}}}`), 1, false)
    const dangling = FromSchema(parsed(`{"$ref":"${pointer}","$defs":{}}`))
    expect(lossOf(dangling).map(({ keyword }) => keyword)).toEqual(["$ref"])
    expectAll(parsed(`{"$ref":"#/${name}"}`), 1, true)
  })

  test("survives the way through JSON", () => {
    const source = parsed(`{"type":"object","properties":{${key}:{"type":"string"}},"required":[${key}]}`)
    const again = parsed(JSON.stringify(FromSchema(source)))
    expectAll(again, parsed(`{${key}:"a"}`), true)
    expectAll(again, parsed(`{${key}:1}`), false)
    expectAll(again, {}, false)
  })

  test("changes no prototype in conform, whatever the value", () => {
    const schema = FromSchema(parsed(`{"type":"object","properties":{${key}:{"type":"object","properties":{"x":{"type":"string","default":"d"}},"required":["x"]},"n":{"type":"number"}},"required":["n"]}`))
    for (const policy of ["cast", "repair", "raw"] as const) {
      const result = conform(schema, parsed(`{${key}:{"x":1},"n":"no"}`), policy)
      expect(Object.getPrototypeOf(result.data)).toBe(Object.prototype)
      expect(({} as Record<string, unknown>).x).toBeUndefined()
    }
  })
})

describe("values that are no JSON", () => {
  const ODD: readonly (readonly [what: string, value: unknown])[] = [
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("a")],
    ["a bigint", 1n],
    ["NaN", NaN],
    ["Infinity", Infinity],
    ["a date", new Date(0)],
    ["a map", new Map([["a", 1]])],
    ["bytes", new Uint8Array(3)],
    ["a regular expression", /a/],
    ["an object without a prototype", Object.create(null)],
    ["a sparse list", Array(3)],
    ["an object whose toJSON throws", { toJSON: () => { throw new Error("no") } }],
    ["a revoked proxy's like", new Proxy({}, {})],
    ["a boxed text", Object("a")],
    ["a member that is undefined", { a: undefined }],
    ["a list with undefined", [undefined]],
    ["a promise", Promise.resolve()],
  ]
  const SCHEMAS: readonly object[] = [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { type: "object", additionalProperties: { type: "number" } },
    { type: "array", items: { type: "string" }, uniqueItems: true },
    { type: "string", pattern: "^a", minLength: 2 },
    { type: "number", multipleOf: 0.1, minimum: 0 },
    { type: ["integer", "null"] },
    { const: { a: [1] } },
    { enum: [1, "a", null, [1]] },
    { not: { type: "string" } },
    { anyOf: [{ type: "object", required: ["a"] }, { type: "array", minItems: 1 }] },
    { if: { required: ["a"] }, then: { properties: { a: { type: "string" } } }, unevaluatedProperties: false },
  ]

  test.each(ODD)("%s throws on no road of ours", (_, value) => {
    for (const source of SCHEMAS) {
      const schema = FromSchema<unknown>(source)
      expect(() => compile(schema)(value)).not.toThrow()
      expect(() => collectErrors(schema, value)).not.toThrow()
      expect(() => throws(() => validateOrThrow(schema, value, "the value"))).not.toThrow()
      for (const policy of ["cast", "repair", "raw"] as const) expect(() => conform(schema, value, policy)).not.toThrow()
    }
  })

  test.each(["1e400", "-1e400"])("the number %s, which JSON text can hold and JavaScript cannot, is no multiple", (text) => {
    const value = parsed(text)
    expectAll({ type: "array", items: { multipleOf: 0.01 } }, [value], false)
    expectAll({ multipleOf: 2 }, value, false)
  })
})

describe("sources that are no schema", () => {
  const circular: Record<string, unknown> = { type: "object" }
  circular["properties"] = { a: circular, b: { anyOf: [circular] } }
  const SOURCES: readonly (readonly [what: string, source: unknown])[] = [
    ["undefined", undefined],
    ["null", null],
    ["a number", 5],
    ["a text", "x"],
    ["a list", [{ type: "string" }]],
    ["a function", () => true],
    ["a symbol", Symbol("a")],
    ["a bigint", { minimum: 1n }],
    ["NaN", { minimum: NaN }],
    ["a date", new Date(0)],
    ["a map", new Map()],
    ["itself", circular],
    ["a getter that throws", Object.defineProperty({}, "type", { enumerable: true, get: () => { throw new Error("no") } })],
    ["a toJSON that throws", { type: "object", toJSON: () => { throw new Error("no") } }],
    ["a proxy that throws", new Proxy({}, { ownKeys: () => { throw new Error("no") }, get: () => { throw new Error("no") } })],
    ["undefined members", { type: "string", minLength: undefined, pattern: undefined }],
  ]

  test.each(SOURCES)("%s converts to something that can be asked, or is refused with a code", (_, source) => {
    let schema
    try {
      schema = FromSchema(source)
    } catch (error) {
      expect(error).toMatchObject({ name: "CallError", code: "SCHEMA_ERROR" })
      return
    }
    const converted = schema
    for (const value of [null, 1, "a", {}, [], { a: { a: 1 } }]) expect(compile(converted)(value)).toBe(collectErrors(converted, value).length === 0)
    expect(() => JSON.stringify(converted)).not.toThrow()
  })
})

describe("amounts", () => {
  const many = (count: number, member: (i: number) => [string, unknown]): Record<string, unknown> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => member(i)))
  const list = <T>(count: number, item: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => item(i))
  const chain = (count: number, around: (inner: unknown) => unknown, inner: unknown): unknown => {
    let schema = inner
    for (let i = 0; i < count; i++) schema = around(schema)
    return schema
  }
  const CASES: readonly (readonly [what: string, schema: (turn: number) => unknown, value: unknown, fits: boolean])[] = [
    ["1,000 alternatives of objects", () => ({ anyOf: list(1_000, (i) => ({ type: "object", properties: { [`k${i}`]: { type: "string" } }, required: [`k${i}`] })) }), { k999: 1 }, false],
    ["1,000 alternatives of which one may fit", () => ({ oneOf: list(1_000, (i) => ({ type: "integer", minimum: i, maximum: i })) }), 999, true],
    ["1,000 parts", () => ({ allOf: list(1_000, (i) => ({ type: "object", properties: { [`k${i}`]: { type: "string" } } })) }), { k999: 1 }, false],
    ["an enum of 10,000 texts", () => ({ enum: list(10_000, (i) => `text ${i}`) }), "text 9999x", false],
    ["an enum of 2,000 objects", () => ({ enum: list(2_000, (i) => ({ a: { b: i } })) }), { a: { b: 2_000 } }, false],
    ["2,000 properties", () => ({ type: "object", properties: many(2_000, (i) => [`p${i}`, { type: "string" }]), required: list(2_000, (i) => `p${i}`) }), many(1_999, (i) => [`p${i}`, "x"]), false],
    ["300 patterns on 1,000 names", () => ({ type: "object", patternProperties: many(300, (i) => [`^p${i}x`, { type: "string" }]), additionalProperties: true }), many(1_000, (i) => [`p${i}`, 1]), true],
    ["300 catastrophic patterns", () => ({ type: "object", patternProperties: many(300, (i) => [`^(a+)+${i}$`, { type: "string" }]) }), { [`${"a".repeat(100)}!`]: "x" }, true],
    ["a catastrophic pattern for names", () => ({ type: "object", propertyNames: { pattern: "^(a|a)*$" } }), { [`${"a".repeat(1_000)}!`]: 1 }, true],
    ["5,000 different objects", () => ({ type: "array", uniqueItems: true }), list(5_000, (i) => ({ a: i, b: [i] })), true],
    ["200 objects that differ in their depth", () => ({ type: "array", uniqueItems: true }), list(200, (i) => chain(i, (inner) => ({ a: inner }), 1)), true],
    ["items that are counted", () => ({ type: "array", contains: { const: 1 }, minContains: 20_000 }), list(20_000, (i) => (i === 5 ? 2 : 1)), false],
    ["100,000 items", () => ({ type: "array", items: { type: "object", properties: { a: { type: "integer" } }, required: ["a"] } }), list(100_000, (i) => ({ a: i })), true],
    ["a hundred kinds of fault in 5,000 items", () => ({ type: "array", items: { type: "object", properties: { a: { type: "integer" } }, required: ["a"], additionalProperties: false } }), list(5_000, (i) => ({ a: "x", [`b${i}`]: 1 })), false],
    ["a step of the smallest size", () => ({ type: "number", multipleOf: 5e-324 }), 1.7976931348623157e308, true],
    ["a step that no number is", () => ({ type: "number", multipleOf: 1e-300 }), 1e300, true],
    ["a text of a megabyte", () => ({ type: "string", maxLength: 5 }), "😀".repeat(500_000), false],
    ["lengths beyond all texts", () => ({ type: "string", minLength: 1e300, maxLength: 1e308 }), "a", false],
    ["unevaluated items behind 500 parts", () => ({ type: "array", allOf: list(500, () => ({ prefixItems: [true, true] })), unevaluatedItems: false }), [1, 2, 3], false],
    ["unevaluated members behind 10 levels of alternatives", () => ({ type: "object", ...(chain(10, (inner) => ({ anyOf: [inner, inner] }), { properties: { a: true } }) as object), unevaluatedProperties: false }), { a: 1, b: 2 }, false],
    ["conditions in each other", () => chain(200, (inner) => ({ if: inner, then: { type: "string" }, else: { type: "number" } }), { type: "null" }), null, false],
    ["negations around alternatives", () => chain(100, (inner) => ({ not: { anyOf: [inner, { type: "null" }] } }), { type: "string" }), "a", true],
    ["5,000 definitions that nobody asks for", () => ({ type: "string", $defs: many(5_000, (i) => [`d${i}`, { type: "object", properties: { a: { $ref: `#/$defs/d${i + 1}` } } }]) }), 1, false],
    ["5,000 identifiers", () => ({ type: "string", $defs: many(5_000, (i) => [`d${i}`, { $id: `https://example.com/${i}`, $anchor: `a${i}` }]) }), 1, false],
    ["500 dynamic anchors of one name", () => ({ $dynamicRef: "#x", $defs: many(500, (i) => [`d${i}`, { $id: `https://example.com/${i}`, $dynamicAnchor: "x", type: "string" }]) }), 1, true],
    ["a pointer of 100,000 steps", () => ({ $ref: `#/${"a/".repeat(100_000)}` }), 1, true],
    ["a name of a megabyte", () => ({ type: "object", properties: { ["n".repeat(1_000_000)]: { type: "string" } } }), { ["n".repeat(1_000_000)]: 1 }, false],
    ["a description of a megabyte", () => ({ type: "string", description: "*/".repeat(500_000) }), 1, false],
  ]

  test.each(CASES)("of %s end soon", (_, schemaAt, value, fits) => {
    // A source of its own for each run, so that nothing comes from a cache.
    const sources = Array.from({ length: TURNS }, (_, at) => ({ ...(schemaAt(at + 1) as object), $comment: `run ${at + 1}` }))
    const slow: string[] = []
    const within = (what: string, run: (turn: number) => unknown): void => {
      const ms = processorMs(run)
      if (ms >= LIMIT_MS) slow.push(`${what}: ${ms} ms`)
    }
    within("FromSchema and compile", (turn) => compile(FromSchema<unknown>(sources[turn - 1]))(1))
    const converted = FromSchema<unknown>(sources[0])
    within("compile", () => { expect(compile(converted)(value)).toBe(fits) })
    within("collectErrors", () => { expect(collectErrors(converted, value).length === 0).toBe(fits) })
    within("validateOrThrow", () => { expect(throws(() => validateOrThrow(converted, value, "the value"))).toBe(!fits) })
    within("conform", () => { expect(conform(converted, value).conformance === "exact").toBe(fits) })
    expect(slow).toEqual([])
  })
})

describe("what is not enforced", () => {
  test.each([
    [{ type: "string", pattern: "^(a+)+$" }, "/pattern", "pattern"],
    [{ type: "string", pattern: "(" }, "/pattern", "pattern"],
    [{ type: "string", pattern: "a".repeat(1_001) }, "/pattern", "pattern"],
    [{ type: "object", patternProperties: { "^(a|a)*$": { type: "string" } } }, "/patternProperties/^(a|a)*$", "patternProperties"],
    [{ type: "object", properties: { a: { $ref: "https://example.com/x" } } }, "/properties/a/$ref", "$ref"],
    [{ type: "array", items: { $ref: "#/nowhere" } }, "/items/$ref", "$ref"],
  ])("%j is told with its place", (schema, pointer, keyword) => {
    expect(lossOf(FromSchema<unknown>(schema)).map((loss) => [loss.pointer, loss.keyword])).toEqual([[pointer, keyword]])
    expect(() => FromSchema<unknown>(schema, { strict: true })).toThrow(expect.objectContaining({ name: "CallError", code: "SCHEMA_ERROR" }) as Error)
  })

  test("everyday patterns lose nothing", () => {
    expect(lossOf(FromSchema({ type: "string", pattern: "^[a-z0-9]+(?:-[a-z0-9]+)*$" }))).toEqual([])
  })
})

describe("nothing is fetched", () => {
  const before = globalThis.fetch
  const asked: unknown[] = []

  beforeEach(() => {
    globalThis.fetch = (input) => {
      asked.push(input)
      return Promise.reject(new Error("no network"))
    }
  })
  afterEach(() => {
    globalThis.fetch = before
  })

  test("whatever is referred to", () => {
    for (const uri of ["https://json-schema.org/draft/2020-12/schema", "http://169.254.169.254/latest", "file:///etc/passwd", "data:application/json,{}", "//example.com/a"]) {
      compile(FromSchema<unknown>({ $ref: uri, $schema: uri }))({})
    }
    expect(asked).toEqual([])
  })
})
