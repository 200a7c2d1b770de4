/**
 * Schemas for other libraries, as far as `@sinclair/typebox-codegen` prints them right.
 *
 * In: a converted schema and a target. Out: the same schema as that package takes it, or the limit of the package that stops it. The
 * package drops what it does not know without a word, writes some bounds wrong, and pastes texts between quotes; whatever would come out other
 * than it went in is refused here by name.
 */
import { Kind, OptionalKind, type TSchema } from "@sinclair/typebox"
import { isObject } from "../schema.js"

/** The libraries that schemas can be printed for. Those of zod and valibot are compared with the originals by tests. */
export const FOREIGN_TARGETS = ["zod", "valibot", "arktype", "effect", "io-ts", "yup"] as const
/** A library that schemas can be printed for. */
export type ForeignTarget = (typeof FOREIGN_TARGETS)[number]

/** Why a schema is not printed. */
export class Unprintable {
  constructor(readonly limit: string) {}
}

type Members = Readonly<Record<string, unknown>>
type Prepare = (schema: Members, target: ForeignTarget) => Record<PropertyKey, unknown> | Unprintable

/** The schema for the package, or what stops it. */
export function forPackage(schema: unknown, target: ForeignTarget): TSchema | Unprintable {
  const kind: unknown = isObject(schema) ? Reflect.get(schema, Kind) : undefined
  const prepare = typeof kind === "string" && Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined
  if (prepare === undefined || !isObject(schema)) return new Unprintable(kind === "Import" ? "recursive schemas" : kind === "Not" || kind === "Never" ? "not" : "schemas that no kind of TypeBox says")
  const prepared = prepare(schema, target)
  // Made of the kind's own members right here.
  return prepared instanceof Unprintable ? prepared : ({ ...prepared, [Kind]: kind } as unknown as TSchema)
}

const KINDS: Readonly<Record<string, Prepare>> = {
  Boolean: () => ({ type: "boolean" }),
  Null: () => ({ type: "null" }),
  Unknown: () => ({}),
  String: ({ pattern, minLength, maxLength }) => (pattern === undefined ? { type: "string", ...given({ minLength, maxLength }) } : new Unprintable("patterns, and lengths of more than one")),
  Number: (schema, target) => numberOf(schema, target, "number"),
  Integer: (schema, target) => numberOf(schema, target, "integer"),
  Literal: ({ const: value, type }): ReturnType<Prepare> => (typeof value === "string" && /['"\\\p{Cc}\u2028\u2029]/u.test(value) ? new Unprintable("quotes in literals") : { const: value, type }),
  Array: ({ items, minItems, maxItems }, target) => {
    const prepared = forPackage(items, target)
    return prepared instanceof Unprintable ? prepared : { type: "array", items: prepared, ...given({ minItems, maxItems }) }
  },
  Union: ({ anyOf }, target) => {
    const branches: TSchema[] = []
    const list: readonly unknown[] = Array.isArray(anyOf) ? anyOf : []
    for (const branch of list) {
      const prepared = forPackage(branch, target)
      if (prepared instanceof Unprintable) return prepared
      branches.push(prepared)
    }
    return { anyOf: branches }
  },
  Object: objectOf,
  Record: ({ patternProperties, additionalProperties }, target) => {
    const [entry, ...others] = isObject(patternProperties) ? Object.entries(patternProperties) : []
    if (target !== "zod" || entry === undefined || others.length > 0 || entry[0] !== "" || additionalProperties !== undefined) return new Unprintable("records")
    const prepared = forPackage(entry[1], target)
    return prepared instanceof Unprintable ? prepared : { type: "object", patternProperties: { "^(.*)$": prepared } }
  },
}

function numberOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Members, target: ForeignTarget, type: "number" | "integer"): ReturnType<Prepare> {
  if (exclusiveMinimum !== undefined || exclusiveMaximum !== undefined) return new Unprintable("exclusive bounds")
  if (multipleOf !== undefined && target !== "zod") return new Unprintable("multipleOf")
  if (type === "integer" && target !== "zod" && (minimum !== undefined || maximum !== undefined)) return new Unprintable("bounds of whole numbers")
  return { type, ...given({ minimum, maximum, multipleOf }) }
}

function objectOf({ properties, required, additionalProperties, minProperties, maxProperties }: Members, target: ForeignTarget): ReturnType<Prepare> {
  if (!isObject(properties)) return new Unprintable("schemas that no kind of TypeBox says")
  if (minProperties !== undefined || maxProperties !== undefined) return new Unprintable("a least or most number of members")
  if (isObject(additionalProperties)) return new Unprintable("typed further members")
  if (additionalProperties === false && target !== "zod") return new Unprintable("closed objects")
  const names = new Set(Array.isArray(required) ? required : [])
  if (names.size === 0 && target === "valibot") return new Unprintable("objects without a required member: a list would pass")
  const prepared: [string, TSchema][] = []
  for (const [name, property] of Object.entries(properties)) {
    if (name === "__proto__" || /['"\\\p{Cc}\u2028\u2029]/u.test(name)) return new Unprintable("odd names of members")
    const member = forPackage(property, target)
    if (member instanceof Unprintable) return member
    if (names.has(name) && Reflect.get(member, Kind) === "Unknown" && target !== "zod") return new Unprintable("required members of any type")
    prepared.push([name, names.has(name) ? member : { ...member, [OptionalKind]: "Optional" }])
  }
  return { type: "object", properties: Object.fromEntries(prepared), ...given({ required, additionalProperties }) }
}

function given(members: Members): Members {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
