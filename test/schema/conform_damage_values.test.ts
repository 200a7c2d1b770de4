/**
 * What each policy makes of wrong values and members: the ways in which `Value.Cast` alone loses or invents data, one by one.
 * Those of lists, unions and trees stand in conform_damage_structures.test.ts.
 */
import { Kind, Type, TypeRegistry } from "@sinclair/typebox"
import { describe } from "vitest"
import { added, removed, replaced, testRows, type Row } from "./outcome.js"

TypeRegistry.Set("test:Odd", (_, value) => typeof value === "number" && value % 2 === 1)

const object = Type.Object
const number = Type.Number()
const text = Type.String()

const ROWS: Row[] = [
  {
    what: "a number sent as text",
    schema: object({ price: number }),
    sent: { price: "12.50" },
    cast: { data: { price: 0 }, changes: [replaced("/price", "12.50", 0)] },
    repair: "invalid",
  },
  {
    what: "scalars of another type",
    schema: object({ n: number, b: Type.Boolean(), s: text }),
    sent: { n: null, b: "true", s: 42 },
    cast: { data: { n: 0, b: false, s: "" }, changes: [replaced("/n", null, 0), replaced("/b", "true", false), replaced("/s", 42, "")] },
    repair: "invalid",
  },
  {
    what: "numbers outside their bounds",
    schema: object({ low: Type.Number({ minimum: 10 }), high: Type.Number({ maximum: 10 }) }),
    sent: { low: 9, high: 11 },
    cast: { data: { low: 10, high: 0 }, changes: [replaced("/low", 9, 10), replaced("/high", 11, 0)] },
    repair: "invalid",
  },
  {
    what: "a number for which Cast's zero is wrong too",
    schema: object({ n: Type.Number({ exclusiveMinimum: 0 }) }),
    sent: { n: -5 },
    cast: "invalid",
    repair: "invalid",
  },
  {
    what: "a number for which Cast's minimum is wrong too",
    schema: object({ n: Type.Number({ minimum: 3, multipleOf: 2 }) }),
    sent: { n: 5 },
    cast: "invalid",
    repair: "invalid",
  },
  {
    what: "a fraction where an integer is asked for",
    schema: object({ n: Type.Integer() }),
    sent: { n: 41.9 },
    cast: { data: { n: 0 }, changes: [replaced("/n", 41.9, 0)] },
    repair: "invalid",
  },
  {
    what: "texts of a wrong length",
    schema: object({ long: Type.String({ maxLength: 3 }), short: Type.String({ minLength: 3 }) }),
    sent: { long: "abcd", short: "a" },
    cast: { data: { long: "", short: "   " }, changes: [replaced("/long", "abcd", ""), replaced("/short", "a", "   ")] },
    repair: "invalid",
  },
  {
    what: "an unknown member of an enumeration",
    schema: object({ state: Type.Union([Type.Literal("open"), Type.Literal("closed")]) }),
    sent: { state: "merged" },
    cast: { data: { state: "open" }, changes: [replaced("/state", "merged", "open")] },
    repair: "invalid",
  },
  {
    what: "another literal",
    schema: object({ kind: Type.Literal("a") }),
    sent: { kind: "b" },
    cast: { data: { kind: "a" }, changes: [replaced("/kind", "b", "a")] },
    repair: "invalid",
  },
  {
    what: "missing required members",
    schema: object({ s: text, n: number, list: Type.Array(text), o: object({ x: number }), d: Type.String({ default: "stated" }) }),
    sent: {},
    cast: {
      data: { s: "", n: 0, list: [], o: { x: 0 }, d: "stated" },
      changes: [added("/s", ""), added("/n", 0), added("/list", []), added("/o", { x: 0 }), added("/d", "stated", "default")],
    },
    repair: "invalid",
  },
  {
    what: "missing required members with stated defaults only",
    schema: object({ d: Type.String({ default: "stated" }), o: object({ n: Type.Number({ default: 5 }) }) }),
    sent: { o: {}, extra: true },
    cast: {
      data: { d: "stated", o: { n: 5 } },
      changes: [added("/d", "stated", "default"), added("/o/n", 5, "default"), removed("/extra", true)],
    },
    repair: { data: { d: "stated", o: { n: 5 }, extra: true }, changes: [added("/o/n", 5, "default"), added("/d", "stated", "default")] },
  },
  {
    what: "a missing optional member with a default",
    schema: object({ d: Type.Optional(Type.String({ default: "stated" })) }),
    sent: {},
    cast: "exact",
    repair: "exact",
  },
  {
    what: "an undeclared member beside right ones",
    schema: object({ n: number }),
    sent: { n: 1, extra: "kept" },
    cast: "exact",
    repair: "exact",
  },
  {
    what: "undeclared members beside a wrong one",
    schema: object({ n: number, inner: object({ m: number }) }),
    sent: { n: "1", extra: "lost", inner: { m: 2, other: "fits, so it stays" } },
    cast: {
      data: { n: 0, inner: { m: 2, other: "fits, so it stays" } },
      changes: [replaced("/n", "1", 0), removed("/extra", "lost")],
    },
    repair: "invalid",
  },
  {
    what: "an undeclared member where none is allowed",
    schema: object({ n: number }, { additionalProperties: false }),
    sent: { n: 1, extra: "lost" },
    cast: { data: { n: 1 }, changes: [removed("/extra", "lost")] },
    repair: "invalid",
  },
  {
    what: "an undeclared member of the wrong type",
    schema: object({ n: number }, { additionalProperties: number }),
    sent: { n: 1, extra: "x" },
    cast: { data: { n: 1, extra: 0 }, changes: [replaced("/extra", "x", 0)] },
    repair: "invalid",
  },
  {
    what: "an object sent as JSON text",
    schema: object({ o: object({ a: number }) }),
    sent: { o: '{"a":1}' },
    cast: { data: { o: { a: 0 } }, changes: [replaced("/o", '{"a":1}', { a: 0 })] },
    repair: "invalid",
  },
  ...[
    { what: "Never", schema: Type.Never() },
    { what: "Not", schema: Type.Not(number) },
    { what: "a pattern", schema: Type.String({ pattern: "^[a-z]+$" }) },
    { what: "a format", schema: Type.String({ format: "nobody-knows-it" }) },
    { what: "a kind of its own", schema: Type.Unsafe({ [Kind]: "test:Odd" }) },
  ].map(
    ({ what, schema }): Row => ({
      what: `${what}, for which Cast throws, beside a wrong number`,
      schema: object({ v: schema, n: number }),
      sent: { v: 2, n: "1" },
      cast: "invalid",
      repair: "invalid",
    }),
  ),
  {
    what: "a date as text, for which Cast takes the clock",
    schema: object({ at: Type.Date() }),
    sent: { at: "2026-01-02T03:04:05Z" },
    cast: "invalid",
    repair: "invalid",
  },
  {
    what: "the key __proto__ in a record",
    schema: object({ r: Type.Record(text, number) }),
    sent: JSON.parse('{"r":{"__proto__":"x","a":1}}') as unknown,
    cast: { data: JSON.parse('{"r":{"__proto__":0,"a":1}}') as unknown, changes: [replaced("/r/__proto__", "x", 0)] },
    repair: "invalid",
  },
]

describe("what Cast does to a wrong value is told, and what it cannot do is left undone", () => {
  testRows(ROWS)
})
