/**
 * What the parts of the cast walk share.
 *
 * A part gets the walk, a node with its scope, a value that does not fit the node, and its place. It answers the value that
 * stands there now, or STUCK where Cast would throw. It reaches the node's children through `walk.cast`, so that the parts
 * need not import the one who calls them.
 */
import { Kind, type TSchema, type TUnion } from "@sinclair/typebox"
import { jsonEqual } from "../kernel/json_equal.js"
import type { ChangeRecorder, Origin } from "./change_recorder.js"
import { createValue, STUCK, type Budget } from "./create_value.js"
import type { Place } from "./place.js"
import { enterScope, importTarget, resolveReference, type Scope } from "./scope.js"

/** One run over one value. Without a place nothing is recorded: the walk is inside something that is made anew. */
export interface CastWalk {
  readonly changes: ChangeRecorder
  readonly budget: Budget
  /** True where the schema speaks of JSON, which has no `undefined`: nothing is then filled with it. */
  readonly json: boolean
  cast(scope: Scope, schema: TSchema, value: unknown, place: Place | undefined): unknown
}

/** How a part of the walk looks. */
export type CastPart = (walk: CastWalk, scope: Scope, schema: TSchema, value: unknown, place: Place | undefined) => unknown

/** What Cast makes where the value is of no use: a default, or an invention. */
export function replaceWhole(walk: CastWalk, scope: Scope, schema: TSchema, value: unknown, place: Place | undefined): unknown {
  const out = createValue(scope, schema, walk.budget)
  if (out !== STUCK && place !== undefined) walk.changes.replaced(place, value, out, originOf(scope, schema, out))
  return out
}

/** References in a row after which the search for a stated default ends. */
const MAX_HOPS = 32

/** `default` where the schema, or what it refers to, states exactly this value as its default. */
export function originOf(scope: Scope, schema: TSchema, value: unknown, hops = 0): Origin {
  if ("default" in schema && jsonEqual(schema.default, value)) return "default"
  if (hops > MAX_HOPS) return "invented"
  const inner = enterScope(scope, schema)
  const isStated = (target: TSchema | undefined): boolean =>
    target !== undefined && originOf(inner, target, value, hops + 1) === "default"
  switch (schema[Kind]) {
    case "Import":
      return isStated(importTarget(schema)) ? "default" : "invented"
    case "Ref":
    case "This":
      return isStated(resolveReference(inner, schema)) ? "default" : "invented"
    case "Union":
      // The kind says that it is a union.
      return (schema as TUnion).anyOf.some(isStated) ? "default" : "invented"
    default:
      return "invented"
  }
}
