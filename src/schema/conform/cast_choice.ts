/**
 * Union and intersect nodes of the cast walk.
 *
 * In and out as in `cast_walk.ts`. A failing union becomes its default where it states one, else the branch that the value
 * is most like. A failing intersect becomes the skeleton that `Create` makes of it, with the sent members laid over it
 * where the result fits, and the bare skeleton where it does not.
 */
import type { TSchema, TUnion } from "@sinclair/typebox"
import { originOf, type CastWalk } from "./cast_walk.js"
import { copyOf, createValue, STUCK } from "./create_value.js"
import { isContainer, setMember, type Members } from "./member.js"
import type { Place } from "./place.js"
import { checkOf } from "./node_check.js"
import type { Scope } from "./scope.js"
import { selectBranch } from "./select_branch.js"

const MAX_DEPTH = 512

/** Casts a value that fits no branch of a union. */
export function castUnion(walk: CastWalk, scope: Scope, schema: TSchema, value: unknown, place: Place | undefined): unknown {
  if ("default" in schema) {
    const out = copyOf(schema.default)
    if (out !== STUCK && place !== undefined) walk.changes.replaced(place, value, out, "default")
    return out
  }
  // The kind says that it is a union.
  const branch = selectBranch(scope, schema as TUnion, value)
  return branch === undefined ? STUCK : walk.cast(scope, branch, value, place)
}

/** Casts a value that does not fit all parts of an intersect. */
export function castIntersect(walk: CastWalk, scope: Scope, schema: TSchema, value: unknown, place: Place | undefined): unknown {
  const skeleton = createValue(scope, schema, walk.budget)
  if (skeleton === STUCK) return STUCK
  const assigned = assign(skeleton, value, 0)
  const out = checkOf(scope, schema)(assigned) ? assigned : skeleton
  if (place !== undefined) walk.changes.replaced(place, value, out, originOf(scope, schema, out))
  return out
}

/** The sent members in the shape of the skeleton; the skeleton's own where the shapes differ. */
function assign(skeleton: unknown, value: unknown, depth: number): unknown {
  if (depth >= MAX_DEPTH) return skeleton
  if (!isContainer(skeleton) || !isContainer(value)) return isContainer(skeleton) || isContainer(value) ? skeleton : value
  const out: Members = {}
  // Arrays are taken for objects here, with their `length`, as Cast does; the check that follows refuses what comes of it.
  for (const key of Object.getOwnPropertyNames(skeleton)) {
    setMember(out, key, key in value ? assign(skeleton[key], value[key], depth + 1) : skeleton[key])
  }
  return out
}
