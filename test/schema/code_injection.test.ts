import { describe, expect, test } from "vitest"
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { collectErrors, compile, conform, FromSchema } from "../../src/schema.js"

/** Each would set the canary if it ever stood in code outside of a string. */
const RUN = "globalThis.canary=1"
const PAYLOADS = [
  `');${RUN};('`,
  `");${RUN};("`,
  `\`;${RUN};\``,
  `\${${RUN}}`,
  `\\');${RUN};//`,
  `\n;${RUN};\n`,
  `\u2028;${RUN};\u2029`,
  `*/${RUN}/*`,
  `<!--\n${RUN}\n-->`,
  `];${RUN};[`,
  `]})());${RUN};//`,
  `/;${RUN};/`,
]

/** Schemas with the payload at one place, and what fits and does not fit them. */
const PLACES: readonly { readonly name: string; readonly schema: (text: string) => object; readonly valid: (text: string) => unknown; readonly invalid: (text: string) => unknown }[] = [
  { name: "property names", schema: (text) => ({ type: "object", properties: { [text]: { type: "string" }, [`${text}2`]: { type: "object", properties: { [text]: { type: "number" } } } }, required: [text], additionalProperties: false }), valid: (text) => ({ [text]: "a", [`${text}2`]: { [text]: 1 } }), invalid: (text) => ({ [text]: 1 }) },
  { name: "required names", schema: (text) => ({ type: "object", required: [text] }), valid: (text) => ({ [text]: 1 }), invalid: () => ({}) },
  { name: "a const", schema: (text) => ({ const: text }), valid: (text) => text, invalid: () => "other" },
  { name: "an enum", schema: (text) => ({ enum: [text, 1] }), valid: (text) => text, invalid: () => 2 },
  { name: "a constant object", schema: (text) => ({ const: { [text]: text } }), valid: (text) => ({ [text]: text }), invalid: () => ({}) },
  { name: "a pattern", schema: (text) => ({ type: "string", pattern: `^${escaped(text)}$` }), valid: (text) => text, invalid: () => "other" },
  { name: "a pattern of names", schema: (text) => ({ type: "object", patternProperties: { [`^${escaped(text)}`]: { type: "number" } } }), valid: (text) => ({ [text]: 1 }), invalid: (text) => ({ [text]: "x" }) },
  { name: "$id and title", schema: (text) => ({ $id: text, title: text, type: "object", properties: { self: { $ref: "#" } } }), valid: () => ({ self: {} }), invalid: () => ({ self: 1 }) },
  { name: "names of definitions", schema: (text) => ({ $ref: "#/$defs/x", $defs: { x: { $anchor: text, type: "object", properties: { x: { $ref: "#/$defs/x" } } }, [text]: { type: "string" } } }), valid: () => ({ x: {} }), invalid: () => ({ x: 1 }) },
  { name: "descriptions, defaults, examples and unknown keywords", schema: (text) => ({ type: "string", description: text, default: text, examples: [text], $comment: text, [text]: text }), valid: (text) => text, invalid: () => 1 },
  { name: "a format", schema: (text) => ({ type: "string", format: text }), valid: () => "x", invalid: () => 1 },
  { name: "tags of alternatives", schema: (text) => ({ oneOf: [{ type: "object", properties: { [text]: { const: "a" } }, required: [text] }, { type: "object", properties: { [text]: { const: text } }, required: [text] }] }), valid: (text) => ({ [text]: text }), invalid: (text) => ({ [text]: "b" }) },
]

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")
}

describe("text of a schema never becomes code", () => {
  test.each(PLACES)("as $name", ({ schema, valid, invalid }) => {
    for (const text of PAYLOADS) {
      const converted = FromSchema<TSchema>(schema(text) as TSchema)
      const compiled = TypeCompiler.Compile(converted)
      const check = compile(converted)
      expect([check(valid(text)), compiled.Check(valid(text)), check(invalid(text)), compiled.Check(invalid(text))]).toEqual([true, true, false, false])
      expect(collectErrors(converted, invalid(text)).length).toBeGreaterThan(0)
      conform(converted, invalid(text))
      expect(Reflect.get(globalThis, "canary")).toBeUndefined()
    }
  })
})
