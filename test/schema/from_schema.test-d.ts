/** What the compiler must say of a schema literal, and what it must refuse. Checked by `tsc`, never run. */
import { Type, type Static, type TSchema, type TUnsafe } from "@sinclair/typebox"
import { FromSchema, type TFromSchema } from "../../src/schema.js"

/** Exact: tells `any` from everything, optional from `| undefined`, readonly from mutable. */
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
declare function same<A, B>(equal: Equal<A, B>): void
declare function fits<S>(schema: TSchema & { static: S }, value: NoInfer<S>): void

// The helper itself.
same<string, string>(true)
same<{ a?: string }, { a: string | undefined }>(false)
same<{ readonly a: string }, { a: string }>(false)
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- what is told apart here
same<any, string>(false)

// Types by name.
const text = FromSchema({ type: "string" })
same<Static<typeof text>, string>(true)
same<typeof text, TUnsafe<string>>(true)
same<Static<TFromSchema<{ type: "number" }>>, number>(true)
same<Static<TFromSchema<{ type: "integer" }>>, number>(true)
same<Static<TFromSchema<{ type: "boolean" }>>, boolean>(true)
same<Static<TFromSchema<{ type: "null" }>>, null>(true)
same<Static<TFromSchema<{ type: "object" }>>, { [key: string]: unknown }>(true)
same<Static<TFromSchema<{ type: "array" }>>, unknown[]>(true)
same<Static<TFromSchema<{ type: ["string", "null"] }>>, string | null>(true)
same<Static<TFromSchema<{ type: readonly ["number", "string", "boolean"] }>>, number | string | boolean>(true)
same<Static<TFromSchema<{ type: "string"; pattern: "^a"; minLength: 1; format: "date" }>>, string>(true)
// @ts-expect-error a number is no text
fits(text, 1)

// Objects.
const user = FromSchema({
  type: "object",
  properties: { id: { type: "integer" }, name: { type: "string" }, email: { type: ["string", "null"], format: "email" } },
  required: ["id", "name"],
})
type User = Static<typeof user>
same<User, { id: number; name: string; email?: string | null }>(true)
fits(user, { id: 1, name: "a" })
fits(user, { id: 1, name: "a", email: null })
// @ts-expect-error the name is required
fits(user, { id: 1 })
// @ts-expect-error an id is a number
fits(user, { id: "1", name: "a" })
// @ts-expect-error nobody spoke of a phone
fits(user, { id: 1, name: "a", phone: "1" })
declare const oneUser: User
// @ts-expect-error the address may be missing
oneUser.email.length
oneUser.id = 2
same<Static<TFromSchema<{ type: "object"; properties: { a: { type: "string" } } }>>, { a?: string }>(true)
same<Static<TFromSchema<{ properties: { a: { type: "string" } }; required: ["a"] }>>, { a: string }>(true)
same<Static<TFromSchema<{ type: "object"; required: ["a"] }>>, { a: unknown }>(true)
same<Static<TFromSchema<{ type: "object"; properties: object }>>, { [key: string]: unknown }>(true)
same<Static<TFromSchema<{ type: "object"; properties: { a: true; b: false } }>>, { a?: unknown; b?: never }>(true)
same<Static<TFromSchema<{ type: "object"; properties: { a: { type: "string" } }; required: string[] }>>, { a?: string }>(true)
const oddNames = FromSchema({
  type: "object",
  properties: { "with-dash": { type: "string" }, 0: { type: "number" }, toString: { type: "string" } },
  required: ["with-dash", "0"],
})
same<Static<typeof oddNames>, { "with-dash": string; 0: number; toString?: string }>(true)

// Further members.
same<Static<TFromSchema<{ type: "object"; additionalProperties: false }>>, { [key: string]: never }>(true)
same<Static<TFromSchema<{ type: "object"; additionalProperties: true }>>, { [key: string]: unknown }>(true)
same<Static<TFromSchema<{ type: "object"; additionalProperties: { type: "number" } }>>, { [key: string]: number }>(true)
same<Static<TFromSchema<{ type: "object"; properties: { a: { type: "string" } }; additionalProperties: false }>>, { a?: string }>(true)
const open = FromSchema({ type: "object", properties: { a: { type: "string" } }, required: ["a"], additionalProperties: true })
same<Static<typeof open>, { [key: string]: unknown; a: string }>(true)
const scores = FromSchema({ type: "object", properties: { name: { type: "string" } }, required: ["name"], additionalProperties: { type: "number" } })
same<Static<typeof scores>, { [key: string]: string | number; name: string }>(true)
fits(scores, { name: "a", maths: 1 })
// @ts-expect-error a score is a number
fits(scores, { name: "a", maths: true })
same<
  Static<TFromSchema<{ type: "object"; patternProperties: { "^x-": { type: "string" }; "^n-": { type: "number" } }; additionalProperties: false }>>,
  { [key: string]: string | number }
>(true)
same<Static<TFromSchema<{ type: "object"; patternProperties: { "^x-": { type: "string" } } }>>, { [key: string]: unknown }>(true)

// Arrays and tuples.
same<Static<TFromSchema<{ type: "array"; items: { type: "string" } }>>, string[]>(true)
same<Static<TFromSchema<{ items: { type: "array"; items: { type: "number" } } }>>, number[][]>(true)
same<Static<TFromSchema<{ type: "array"; items: true }>>, unknown[]>(true)
same<Static<TFromSchema<{ type: "array"; items: false }>>, []>(true)
const pair = FromSchema({ type: "array", prefixItems: [{ type: "string" }, { type: "number" }], items: false, minItems: 2 })
same<Static<typeof pair>, [string, number]>(true)
fits(pair, ["a", 1])
// @ts-expect-error both places have to be there
fits(pair, ["a"])
// @ts-expect-error there is no third place
fits(pair, ["a", 1, 2])
same<Static<TFromSchema<{ prefixItems: [{ type: "string" }, { type: "number" }]; items: false }>>, [string?, number?]>(true)
same<Static<TFromSchema<{ prefixItems: [{ type: "string" }]; minItems: 1; items: { type: "number" } }>>, [string, ...number[]]>(true)
same<Static<TFromSchema<{ items: [{ type: "string" }, { type: "null" }]; minItems: 2; additionalItems: false }>>, [string, null]>(true)
same<Static<TFromSchema<{ items: [{ type: "string" }]; minItems: 1 }>>, [string, ...unknown[]]>(true)

// Values.
same<Static<TFromSchema<{ const: "a" }>>, "a">(true)
same<Static<TFromSchema<{ const: null }>>, null>(true)
const fixed = FromSchema({ const: { a: [1, "x"], b: { c: true } } })
same<Static<typeof fixed>, { a: [1, "x"]; b: { c: true } }>(true)
const state = FromSchema({ type: "string", enum: ["open", "closed"] })
same<Static<typeof state>, "open" | "closed">(true)
// @ts-expect-error there is no such state
fits(state, "merged")
same<Static<TFromSchema<{ enum: [1, "a", null, true] }>>, 1 | "a" | null | true>(true)
same<Static<TFromSchema<{ type: ["string", "null"]; enum: ["a", null, 3] }>>, "a" | null>(true)
same<Static<TFromSchema<{ type: "string"; enum: string[] }>>, string>(true)

// Combined.
same<Static<TFromSchema<{ anyOf: [{ type: "string" }, { type: "number" }] }>>, string | number>(true)
same<Static<TFromSchema<{ oneOf: [{ type: "string" }, { type: "null" }] }>>, string | null>(true)
const shape = FromSchema({
  oneOf: [
    { type: "object", properties: { kind: { const: "circle" }, radius: { type: "number" } }, required: ["kind", "radius"] },
    { type: "object", properties: { kind: { const: "square" }, side: { type: "number" } }, required: ["kind", "side"] },
  ],
})
declare const oneShape: Static<typeof shape>
same<typeof oneShape, { kind: "circle"; radius: number } | { kind: "square"; side: number }>(true)
export const area = oneShape.kind === "circle" ? oneShape.radius : oneShape.side
// @ts-expect-error a circle has no side
fits(shape, { kind: "circle", side: 1 })
const both = FromSchema({
  allOf: [
    { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    { type: "object", properties: { b: { type: "number" } } },
  ],
})
same<Static<typeof both>, { a: string; b?: number }>(true)
const either = FromSchema({
  type: "object",
  properties: { id: { type: "string" }, name: { type: "string" } },
  anyOf: [{ required: ["id"] }, { required: ["name"] }],
})
same<Static<typeof either>, { id: string; name?: string } | { id?: string; name: string }>(true)
same<Static<TFromSchema<{ allOf: [{ type: "string" }]; minLength: 1 }>>, string>(true)
same<Static<TFromSchema<{ type: "string"; not: { const: "a" }; if: true; then: false }>>, string>(true)
same<Static<TFromSchema<{ not: { type: "string" } }>>, unknown>(true)
same<Static<TFromSchema<{ description: "anything" }>>, unknown>(true)
same<Static<TFromSchema<{ allOf: [{ type: "string" }, { type: "number" }] }>>, never>(true)

// Boolean schemas.
same<Static<TFromSchema<true>>, unknown>(true)
same<Static<TFromSchema<false>>, never>(true)

// References and recursion.
const team = FromSchema({
  type: "object",
  properties: { lead: { $ref: "#/$defs/person" }, members: { type: "array", items: { $ref: "#/$defs/person", description: "one of them" } } },
  required: ["lead"],
  $defs: { person: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } },
})
same<Static<typeof team>, { lead: { name: string }; members?: { name: string }[] }>(true)
same<Static<TFromSchema<{ $ref: "#/definitions/a"; definitions: { a: { type: "string" } } }>>, string>(true)
same<Static<TFromSchema<{ $ref: "#/$defs/a~1b~0c"; $defs: { "a/b~c": { type: "string" } } }>>, string>(true)
same<Static<TFromSchema<{ prefixItems: [{ type: "string" }, { $ref: "#/prefixItems/0" }]; minItems: 2; items: false }>>, [string, string]>(true)
type Named = Static<TFromSchema<{ $id: "urn:a"; type: "object"; properties: { next: { $ref: "urn:a" }; v: { $ref: "urn:a#/$defs/v" } }; required: ["v"]; $defs: { v: { const: 1 } } }>>
same<Named["v"], 1>(true)
same<Required<Required<Named>["next"]>["next"]["v"], 1>(true)
const tree = FromSchema({
  type: "object",
  properties: { value: { type: "number" }, children: { type: "array", items: { $ref: "#" } } },
  required: ["value"],
})
interface Tree {
  value: number
  children?: Tree[]
}
declare const oneTree: Static<typeof tree>
export const asTree: Tree = oneTree
export const deepValue: number | undefined = oneTree.children?.[0]?.children?.[0]?.children?.[0]?.value
fits(tree, { value: 1, children: [{ value: 2, children: [{ value: 3 }] }] })
// @ts-expect-error the inner value is a number too
fits(tree, { value: 1, children: [{ value: 2, children: [{ value: "3" }] }] })
const json = FromSchema({
  $ref: "#/$defs/json",
  $defs: {
    json: {
      anyOf: [
        { type: ["string", "number", "boolean", "null"] },
        { type: "array", items: { $ref: "#/$defs/json" } },
        { type: "object", additionalProperties: { $ref: "#/$defs/json" } },
      ],
    },
  },
})
type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
same<Static<typeof json>, Json>(true)
const husband = FromSchema({
  $ref: "#/$defs/a",
  $defs: {
    a: { type: "object", properties: { b: { $ref: "#/$defs/b" } } },
    b: { type: "object", properties: { a: { $ref: "#/$defs/a" } }, required: ["a"] },
  },
})
type A = { b?: B }
type B = { a: A }
same<Static<typeof husband>, A>(true)
const nested = FromSchema({ type: "array", items: { $ref: "#" } })
type Nested = Nested[]
same<Static<typeof nested>, Nested>(true)
fits(nested, [[], [[]]])
// @ts-expect-error arrays all the way down
fits(nested, [[], [1]])
const extended = FromSchema({
  $ref: "#/$defs/node",
  $defs: {
    base: { type: "object", properties: { id: { type: "string" } }, required: ["id"] },
    node: { allOf: [{ $ref: "#/$defs/base" }, { type: "object", properties: { next: { $ref: "#/$defs/node" } } }] },
  },
})
declare const oneNode: Static<typeof extended>
same<typeof oneNode.id, string>(true)
export const third: string | undefined = oneNode.next?.next?.id
same<Static<TFromSchema<{ $ref: "#" }>>, unknown>(true)
same<Static<TFromSchema<{ $ref: "#/$defs/a"; $defs: { a: { $ref: "#/$defs/b" }; b: { $ref: "#/$defs/a" } } }>>, unknown>(true)
same<Static<TFromSchema<{ $ref: "#/$defs/none" }>>, unknown>(true)
same<Static<TFromSchema<{ $ref: "https://example.com/other" }>>, unknown>(true)
same<Static<TFromSchema<{ type: "object"; allOf: [{ $ref: "#" }] }>>, { [key: string]: unknown }>(true)
same<
  Static<TFromSchema<{ $schema: "http://json-schema.org/draft-07/schema#"; type: "object"; properties: { a: { $ref: "#/definitions/s"; type: "number" } }; definitions: { s: { type: "string" } } }>>,
  { a?: string }
>(true)

// Schemas of which nothing is known.
declare const runtime: { any: ReturnType<typeof JSON.parse>; unknown: unknown; object: object; record: Record<string, unknown>; boolean: boolean }
const fromAny = FromSchema(runtime.any)
same<typeof fromAny, TSchema>(true)
const fromUnknown = FromSchema(runtime.unknown)
same<typeof fromUnknown, TSchema>(true)
same<Static<typeof fromUnknown>, unknown>(true)
same<TFromSchema<object>, TSchema>(true)
same<TFromSchema<Record<string, unknown>>, TSchema>(true)
same<TFromSchema<boolean>, TSchema>(true)
same<TFromSchema<{ type: "object"; [key: string]: unknown }>, TSchema>(true)
const widened = { type: "object", properties: { a: { type: "string" } } }
same<Static<TFromSchema<typeof widened>>, unknown>(true)
const passedOn = (schema: unknown): TSchema => FromSchema(schema)
export const kept: TSchema = passedOn(runtime.record)

// No `any` comes out, whatever comes in.
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the very thing that must not come out
same<Static<typeof fromAny>, any>(false)
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the very thing that goes in
same<Static<TFromSchema<{ type: "object"; properties: { a: any }; required: ["a"] }>>, { a: unknown }>(true)
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the very thing that goes in
same<Static<TFromSchema<{ type: "array"; items: any }>>, unknown[]>(true)
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- the very thing that goes in
same<Static<TFromSchema<{ anyOf: [any, { type: "string" }] }>>, unknown>(true)

// As const or not, in one place or apart: nothing readonly is left.
const apart = { type: "object", properties: { tags: { type: "array", items: { enum: ["a", "b"] } } }, required: ["tags"] } as const
declare const tagged: Static<TFromSchema<typeof apart>>
same<typeof tagged, { tags: ("a" | "b")[] }>(true)
tagged.tags.push("a")
// @ts-expect-error there is no such tag
tagged.tags.push("c")

// Beside TypeBox's own types.
const outer = Type.Object({ user, more: Type.Optional(FromSchema({ type: "number" })) })
same<Static<typeof outer>["user"], User>(true)
same<Static<typeof outer>["more"], number | undefined>(true)
same<Static<TFromSchema<typeof outer>>["user"], User>(true)
