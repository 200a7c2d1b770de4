/** No text of a stranger's schema becomes code: each payload stands in each place, and a canary tells when one of them ran. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { afterEach, describe, expect, test } from "vitest"
import { collectErrors, compile, conform, FromSchema } from "../../src/schema.js"

const RUN = "globalThis.canary=1"

/** Each ends some kind of text, runs the canary, and begins that kind of text again. */
const PAYLOADS: readonly string[] = [
  `";${RUN};"`,
  `"+(${RUN})+"`,
  `';${RUN};'`,
  `'+(${RUN})+'`,
  "`;" + RUN + ";`",
  "${" + RUN + "}",
  `\\";${RUN};//`,
  `\\\\";${RUN};//`,
  `\n${RUN}\n`,
  `\r${RUN}//`,
  `\u2028${RUN}\u2029`,
  `*/${RUN}/*`,
  `//\n${RUN}`,
  `/;${RUN};/`,
  `[\\]/;${RUN};/`,
  `"]);${RUN};(["`,
  `']);${RUN};(['`,
  `)||(${RUN})||(`,
  `}${RUN};{`,
  `(()=>{${RUN}})()`,
  `</script><script>${RUN}</script>`,
  `<!--\n${RUN}-->`,
  `value.x;${RUN}`,
  `constructor.constructor("${RUN}")()`,
  `\u0000${RUN}`,
  `\\u0022;${RUN};\\u0022`,
  `\\x22;${RUN};\\x22`,
]

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&").replace(/\\-/g, "-")
const asPointer = (name: string): string => encodeURIComponent(name.replace(/~/g, "~0").replace(/\//g, "~1"))

/** A schema with the payload in one place, and values that fit and do not. */
const PLACES: Readonly<Record<string, (text: string) => { schema: object; fits: readonly unknown[]; unfit: readonly unknown[] }>> = {
  "a property": (text) => ({
    schema: { type: "object", properties: { [text]: { type: "string" } }, required: [text], additionalProperties: false },
    fits: [{ [text]: "a" }],
    unfit: [{}, { [text]: 1 }, { [text]: "a", b: 1 }],
  }),
  "an optional property of an inner object": (text) => ({
    schema: { type: "object", properties: { a: { type: "object", properties: { [text]: { type: "number", minimum: 1 } } } } },
    fits: [{}, { a: {} }, { a: { [text]: 1 } }],
    unfit: [{ a: { [text]: 0 } }, { a: { [text]: "1" } }],
  }),
  "a required name that is not described": (text) => ({ schema: { type: "object", required: [text] }, fits: [{ [text]: null }], unfit: [{}, { a: 1 }] }),
  "a constant": (text) => ({ schema: { const: text }, fits: [text], unfit: [`${text}x`, ""] }),
  "a constant inside an object": (text) => ({ schema: { const: { [text]: [text] } }, fits: [{ [text]: [text] }], unfit: [{ [text]: [] }, {}] }),
  "an enum": (text) => ({ schema: { enum: [text, 1, { a: text }] }, fits: [text, 1, { a: text }], unfit: [`${text}x`, { a: "" }] }),
  "a tag of alternatives": (text) => ({
    schema: {
      oneOf: [
        { type: "object", properties: { [text]: { const: text }, a: { type: "string" } }, required: [text, "a"] },
        { type: "object", properties: { [text]: { const: "b" } }, required: [text] },
      ],
    },
    fits: [{ [text]: text, a: "" }, { [text]: "b" }],
    unfit: [{ [text]: text }, { [text]: "c" }],
  }),
  "a pattern": (text) => ({ schema: { type: "string", pattern: `^${escaped(text)}$` }, fits: [text], unfit: [`${text}x`, 1] }),
  "a pattern of names": (text) => ({
    schema: { type: "object", patternProperties: { [`^${escaped(text)}$`]: { type: "number" } }, additionalProperties: false },
    fits: [{}, { [text]: 1 }],
    unfit: [{ [text]: "a" }, { a: 1 }],
  }),
  "two patterns of names": (text) => ({
    schema: { type: "object", patternProperties: { [escaped(text)]: { type: "number" }, "^b": true }, properties: { c: true } },
    fits: [{ [text]: 1, b: "x" }],
    unfit: [{ [text]: "a" }],
  }),
  "the schema of names": (text) => ({ schema: { type: "object", propertyNames: { const: text } }, fits: [{}, { [text]: 1 }], unfit: [{ a: 1 }] }),
  "a dependency": (text) => ({
    schema: { type: "object", dependentRequired: { [text]: [`${text}2`] }, dependentSchemas: { [text]: { minProperties: 2 } } },
    fits: [{}, { [text]: 1, [`${text}2`]: 1 }],
    unfit: [{ [text]: 1 }],
  }),
  "an identifier": (text) => ({
    schema: { $id: text, type: "object", properties: { a: { $id: `${text}/a`, $anchor: text, type: "string" } } },
    fits: [{}, { a: "x" }],
    unfit: [{ a: 1 }, 1],
  }),
  "the name of a definition": (text) => ({
    schema: { $ref: `#/$defs/${asPointer(text)}`, $defs: { [text]: { type: "object", properties: { next: { $ref: `#/$defs/${asPointer(text)}` } } } } },
    fits: [{}, { next: { next: {} } }],
    unfit: [1, { next: { next: 1 } }],
  }),
  "a reference": (text) => ({ schema: { type: "object", properties: { a: { type: "string" }, b: { $ref: text } } }, fits: [{ a: "", b: 1 }], unfit: [{ a: 1 }] }),
  annotations: (text) => ({
    schema: { type: "string", title: text, description: text, $comment: text, default: text, examples: [text], format: text, contentEncoding: text, contentMediaType: text, readOnly: text },
    fits: [text, ""],
    unfit: [1, null],
  }),
  "an unknown keyword": (text) => ({ schema: { type: "array", items: { type: "integer", [text]: text }, [text]: { [text]: [text] } }, fits: [[], [1]], unfit: [["a"], {}] }),
  "the dialect": (text) => ({ schema: { $schema: text, type: "boolean" }, fits: [true], unfit: [1] }),
  "a keyword that wants a number": (text) => ({ schema: { type: "string", minLength: text, maximum: text, multipleOf: text }, fits: ["", "a"], unfit: [1] }),
  "a type": (text) => ({ schema: { type: "object", properties: { a: { type: text }, b: { type: [text, "string"] }, c: { type: "string" } } }, fits: [{ c: "" }], unfit: [{ c: 1 }] }),
}

const canary = globalThis as { canary?: unknown }

afterEach(() => {
  delete canary.canary
})

describe.each(Object.entries(PLACES))("in %s", (_, place) => {
  test.each(PAYLOADS)("%j stays text", (text) => {
    const { schema, fits, unfit } = place(text)
    const converted = FromSchema<unknown>(schema)
    const roads: Readonly<Record<string, (value: unknown) => boolean>> = {
      "compile": compile(converted),
      "collectErrors": (value) => collectErrors(converted, value).length === 0,
      "conform": (value) => conform(converted, value).conformance === "exact",
      "Value.Check": (value) => Value.Check(converted, value),
      "TypeCompiler.Check": ((compiled) => (value: unknown) => compiled.Check(value))(TypeCompiler.Compile(converted)),
      "Value.Errors": (value) => [...Value.Errors(converted, value)].length === 0,
    }
    for (const [road, check] of Object.entries(roads)) {
      for (const value of fits) expect([road, value, check(value)]).toEqual([road, value, true])
      for (const value of unfit) expect([road, value, check(value)]).toEqual([road, value, false])
    }
    // What the compiler writes is a program of its own: run it whole.
    const code = TypeCompiler.Code(converted, [], { language: "javascript" })
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- what TypeBox itself does with it
    expect(() => new Function(code)).not.toThrow()
    expect(canary.canary).toBeUndefined()
  })
})

test("the canary sings where a payload does become code", () => {
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- shows that the canary works
  new Function(`const text = "${PAYLOADS[0] ?? ""}"`)()
  expect(canary.canary).toBe(1)
})
