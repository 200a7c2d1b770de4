/**
 * What each policy makes of lists, tuples, unions, intersections and trees that do not fit: the ways in which `Value.Cast` alone
 * loses or invents data, one by one.
 */
import { Type } from "@sinclair/typebox"
import { describe } from "vitest"
import { added, removed, replaced, testRows, type Row } from "./outcome.js"

const object = Type.Object
const number = Type.Number()
const text = Type.String()
const tags = Type.Union([object({ type: Type.Literal("a"), x: number }), object({ type: Type.Literal("b"), y: number })])
const tree = Type.Recursive((self) => object({ id: text, children: Type.Array(self) }), { $id: "Tree" })
const endless = Type.Recursive((self) => object({ id: text, next: self }), { $id: "Endless" })
const leaf = (id: string) => ({ id, children: [], note: "kept" })

const ROWS: Row[] = [
  {
    what: "a wrong element of a list",
    schema: object({ list: Type.Array(number) }),
    sent: { list: [1, "two", 3] },
    cast: { data: { list: [1, 0, 3] }, changes: [replaced("/list/1", "two", 0)] },
    repair: "invalid",
  },
  {
    what: "a list where a scalar is asked for, and a scalar where a list is",
    schema: object({ one: number, many: Type.Array(number) }),
    sent: { one: [1], many: 1 },
    cast: { data: { one: 0, many: [] }, changes: [replaced("/one", [1], 0), replaced("/many", 1, [])] },
    repair: "invalid",
  },
  {
    what: "a list that is too long",
    schema: object({ list: Type.Array(number, { maxItems: 1 }) }),
    sent: { list: [1, 2, 3] },
    cast: { data: { list: [1] }, changes: [removed("/list/1", 2), removed("/list/2", 3)] },
    repair: "invalid",
  },
  {
    what: "a list that is too short",
    schema: object({ list: Type.Array(number, { minItems: 3 }) }),
    sent: { list: [7] },
    cast: { data: { list: [7, 0, 0] }, changes: [added("/list/1", 0), added("/list/2", 0)] },
    repair: "invalid",
  },
  {
    what: "equal numbers where items are unique",
    schema: object({ list: Type.Array(number, { uniqueItems: true }) }),
    sent: { list: [5, 5, "x", 7] },
    cast: { data: { list: [5, 0, 7] }, changes: [removed("/list/1", 5), replaced("/list/2", "x", 0)] },
    repair: "invalid",
  },
  {
    what: "equal objects where items are unique, for which Cast throws",
    schema: object({ list: Type.Array(object({ n: number }), { uniqueItems: true }), m: number }),
    sent: { list: [{ n: 1 }, { n: 1 }], m: "1" },
    cast: "invalid",
    repair: "invalid",
  },
  {
    what: "a missing list of unique items, for which Cast throws",
    schema: object({ list: Type.Array(number, { uniqueItems: true }) }),
    sent: {},
    cast: "invalid",
    repair: "invalid",
  },
  {
    what: "a record's key outside its pattern, which Cast keeps with a wrong value",
    schema: object({ r: Type.Record(Type.String({ pattern: "^a$" }), number, { additionalProperties: false }) }),
    sent: { r: { a: 1, b: "x" } },
    cast: "invalid",
    repair: "invalid",
  },
  {
    what: "a tuple that is too long",
    schema: object({ pair: Type.Tuple([number, text]) }),
    sent: { pair: [1, "a", true] },
    cast: { data: { pair: [1, "a"] }, changes: [removed("/pair/2", true)] },
    repair: "invalid",
  },
  {
    what: "a tuple that is too short",
    schema: object({ pair: Type.Tuple([number, text]) }),
    sent: { pair: ["1"] },
    cast: { data: { pair: [0, ""] }, changes: [replaced("/pair/0", "1", 0), added("/pair/1", "")] },
    repair: "invalid",
  },
  {
    what: "an unknown tag of a union",
    schema: object({ event: tags }),
    sent: { event: { type: "c", y: 7, payload: [1] } },
    cast: { data: { event: { type: "b", y: 7 } }, changes: [replaced("/event/type", "c", "b"), removed("/event/payload", [1])] },
    repair: "invalid",
  },
  {
    what: "an unknown tag of a union at the root",
    schema: Type.Union([object({ k: Type.Literal("x"), n: number }), object({ k: Type.Literal("y"), s: text })]),
    sent: { k: "z", s: "keep" },
    cast: { data: { k: "y", s: "keep" }, changes: [replaced("/k", "z", "y")] },
    repair: "invalid",
  },
  {
    what: "a union with a default",
    schema: object({ u: Type.Union([text, number], { default: "none" }), v: Type.Union([text, number], { default: 0 }) }),
    sent: { u: { everything: "lost" } },
    cast: { data: { u: "none", v: 0 }, changes: [replaced("/u", { everything: "lost" }, "none"), added("/v", 0, "default")] },
    repair: "invalid",
  },
  {
    what: "a known tag with a wrong member",
    schema: object({ event: tags }),
    sent: { event: { type: "b", y: "7" } },
    cast: { data: { event: { type: "b", y: 0 } }, changes: [replaced("/event/y", "7", 0)] },
    repair: "invalid",
  },
  {
    what: "one wrong member of an intersection, of which Cast keeps nothing",
    schema: Type.Intersect([object({ a: number, s: text }), object({ n: object({ deep: number }) })]),
    sent: { a: "x", s: "text", n: { deep: 5 } },
    cast: { data: { a: 0, s: "", n: { deep: 0 } }, changes: [replaced("/a", "x", 0), replaced("/s", "text", ""), replaced("/n/deep", 5, 0)] },
    repair: "invalid",
  },
  {
    what: "one wrong leaf in a tree",
    schema: tree,
    sent: { id: "root", children: [leaf("a"), { ...leaf("b"), id: 7, children: [leaf("c")] }], note: "lost" },
    cast: {
      data: { id: "root", children: [leaf("a"), { id: "", children: [leaf("c")] }] },
      changes: [replaced("/children/1/id", 7, ""), removed("/children/1/note", "kept"), removed("/note", "lost")],
    },
    repair: "invalid",
  },
  {
    what: "a type that contains itself, for which Cast throws",
    schema: object({ e: endless }),
    sent: { e: { id: "1" } },
    cast: "invalid",
    repair: "invalid",
  },
]

describe("what Cast does to a wrong structure is told, and what it cannot do is left undone", () => {
  testRows(ROWS)
})
