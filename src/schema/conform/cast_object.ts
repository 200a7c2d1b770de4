/**
 * Object and record nodes of the cast walk.
 *
 * In and out as in `cast_walk.ts`. A failing object keeps its declared members, cast where they do not fit; required ones
 * that are missing are made; undeclared ones go, unless `additionalProperties` is a schema, to which they are cast. A
 * failing record keeps all its keys, whatever its pattern says: what is then left over fails the check of the whole.
 */
import type { TObject, TRecord, TSchema } from "@sinclair/typebox"
import { originOf, replaceWhole, type CastWalk } from "./cast_walk.js"
import { STUCK } from "./create_value.js"
import { isContainer, isPlain, readMember, setMember, type Members } from "./member.js"
import { placeOf, type Place } from "./place.js"
import { checkOf } from "./node_check.js"
import type { Scope } from "./scope.js"

/** Casts a value that does not fit an object node. */
export function castObject(walk: CastWalk, scope: Scope, schema: TSchema, value: unknown, place: Place | undefined): unknown {
  // The kind says that it is an object.
  const node = schema as TObject
  if (!isContainer(value)) return replaceWhole(walk, scope, schema, value, place)
  // An array or a Date becomes another thing altogether: it is recorded as one replacement.
  const inside = isPlain(value) ? place : undefined
  const mark = walk.changes.mark()
  const out: Members = {}
  const required = new Set<string>(node.required ?? [])
  for (const [key, property] of Object.entries(node.properties)) {
    const own = Object.hasOwn(value, key)
    const sent = readMember(value, key)
    if (sent === undefined && !required.has(key)) {
      if (own && inside !== undefined) walk.changes.removed(placeOf(inside, key), sent)
    } else if (own) {
      if (!castMember(walk, scope, property, key, sent, out, inside)) return STUCK
    } else if (!makeMember(walk, scope, property, key, sent, out, inside)) {
      return STUCK
    }
  }
  if (!castUndeclared(walk, scope, node, value, out, inside)) return STUCK
  return finish(walk, mark, value, out, place, inside)
}

/** Casts a value that does not fit a record node. */
export function castRecord(walk: CastWalk, scope: Scope, schema: TSchema, value: unknown, place: Place | undefined): unknown {
  if (!isContainer(value) || Array.isArray(value) || value instanceof Date) return replaceWhole(walk, scope, schema, value, place)
  // The kind says that it is a record, and a record has one pattern.
  const [member] = Object.values((schema as TRecord).patternProperties)
  if (member === undefined) return STUCK
  const inside = isPlain(value) ? place : undefined
  const mark = walk.changes.mark()
  const out: Members = {}
  for (const [key, sent] of Object.entries(value)) {
    if (!castMember(walk, scope, member, key, sent, out, inside)) return STUCK
  }
  return finish(walk, mark, value, out, place, inside)
}

/** False where the object as a whole is stuck, which is so only while it is made anew. */
function castMember(walk: CastWalk, scope: Scope, schema: TSchema, key: string, sent: unknown, out: Members, inside: Place | undefined): boolean {
  if (checkOf(scope, schema)(sent)) {
    setMember(out, key, sent)
    return true
  }
  const cast = walk.cast(scope, schema, sent, inside && placeOf(inside, key))
  if (cast === STUCK && inside === undefined) return false
  setMember(out, key, cast === STUCK ? sent : cast)
  return true
}

/** Makes a member that was not sent; `seen` is what TypeBox sees in its place: undefined, or something inherited. */
function makeMember(walk: CastWalk, scope: Scope, schema: TSchema, key: string, seen: unknown, out: Members, inside: Place | undefined): boolean {
  const made = checkOf(scope, schema)(seen) ? seen : walk.cast(scope, schema, seen, undefined)
  if (made === STUCK) return inside !== undefined
  if (made === undefined && walk.json) return true
  setMember(out, key, made)
  if (inside !== undefined) walk.changes.added(placeOf(inside, key), made, originOf(scope, schema, made))
  return true
}

function castUndeclared(walk: CastWalk, scope: Scope, node: TObject, value: Members, out: Members, inside: Place | undefined): boolean {
  const additional = node.additionalProperties
  // Names rather than keys: of an array, Cast takes the `length` along.
  for (const key of Object.getOwnPropertyNames(value)) {
    if (Object.hasOwn(node.properties, key)) continue
    if (typeof additional === "object") {
      if (!castMember(walk, scope, additional, key, value[key], out, inside)) return false
    } else if (inside !== undefined) {
      walk.changes.removed(placeOf(inside, key), value[key])
    }
  }
  return true
}

/** What was sent itself where nothing came of the walk, so that a value that only looks new is not handed on as one. */
function finish(walk: CastWalk, mark: number, value: Members, out: Members, place: Place | undefined, inside: Place | undefined): unknown {
  if (inside !== undefined) return walk.changes.mark() === mark ? value : out
  if (place !== undefined) walk.changes.replaced(place, value, out)
  return out
}
