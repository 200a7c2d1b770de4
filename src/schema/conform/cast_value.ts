/**
 * Brings a value to a TypeBox schema the way `Value.Cast` does, and writes down each thing it does.
 *
 * In: a schema, its scope, and a value that does not fit. Out: the value that stands in its place, with the changes, or
 * STUCK where Cast would throw at the root.
 * Sub-trees that fit are handed on by reference without a look inside; a node that Cast cannot handle stays as it was sent
 * while its siblings are cast.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { castArray, castTuple } from "./cast_array.js"
import { castIntersect, castUnion } from "./cast_choice.js"
import { castObject, castRecord } from "./cast_object.js"
import { replaceWhole, type CastPart, type CastWalk } from "./cast_walk.js"
import { ChangeRecorder } from "./change_recorder.js"
import { newBudget, STUCK } from "./create_value.js"
import { MAX_VALUE_DEPTH } from "./depth.js"
import { ROOT } from "./place.js"
import { enterScope, importTarget, resolveReference, type Scope } from "./scope.js"
import type { DataChange } from "../data_change.js"

/** Steps into the schema, for a value of the greatest depth: a level takes up to three (a reference, a union, an object). */
const MAX_STEPS = 3 * MAX_VALUE_DEPTH

/** What became of a value. */
export interface Cast {
  readonly data: unknown
  readonly changes: DataChange[]
}

/** The cast of a value that does not fit; `json` where the schema speaks of JSON. */
export function castValue(scope: Scope, schema: TSchema, value: unknown, json: boolean): Cast {
  let depth = 0
  const walk: CastWalk = {
    changes: new ChangeRecorder(),
    budget: newBudget(),
    json,
    cast(outer, node, sent, place) {
      if (depth >= MAX_STEPS) return STUCK
      const mark = walk.changes.mark()
      depth++
      const out = partOf(node)(walk, enterScope(outer, node), node, sent, place)
      depth--
      if (out === STUCK) walk.changes.rewind(mark)
      return out
    },
  }
  const out = walk.cast(scope, schema, value, ROOT)
  return { data: out === STUCK ? value : out, changes: walk.changes.changes }
}

function partOf(schema: TSchema): CastPart {
  return PARTS.get(schema[Kind]) ?? replaceWhole
}

const PARTS: ReadonlyMap<string, CastPart> = new Map<string, CastPart>([
  ["Array", castArray],
  ["Constructor", castConstructor],
  ["Import", (walk, scope, schema, value, place) => castTarget(walk, scope, importTarget(schema), value, place)],
  ["Intersect", castIntersect],
  ["Object", castObject],
  ["Record", castRecord],
  ["Ref", castReference],
  ["This", castReference],
  ["Tuple", castTuple],
  ["Union", castUnion],
])

function castReference(...[walk, scope, schema, value, place]: Parameters<CastPart>): unknown {
  return castTarget(walk, scope, resolveReference(scope, schema), value, place)
}

function castTarget(...[walk, scope, target, value, place]: [CastWalk, Scope, TSchema | undefined, ...Tail]): unknown {
  return target === undefined ? STUCK : walk.cast(scope, target, value, place)
}

type Tail = [value: unknown, place: Parameters<CastPart>[4]]

/** The one kind that Cast takes apart and that JSON does not have. */
function castConstructor(...[walk, scope, schema, value, place]: Parameters<CastPart>): unknown {
  try {
    const out: unknown = Value.Cast(schema, [...scope.references], value)
    if (place !== undefined) walk.changes.replaced(place, value, out)
    return out
  } catch {
    return STUCK
  }
}
