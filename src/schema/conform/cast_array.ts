/**
 * Array and tuple nodes of the cast walk.
 *
 * In and out as in `cast_walk.ts`. A failing array keeps its elements in place, cast where they do not fit; it is filled up
 * to `minItems`, cut at `maxItems`, and loses equal primitives where its items have to be unique. A tuple gets its length.
 */
import type { TArray, TSchema, TTuple } from "@sinclair/typebox"
import { originOf, replaceWhole, type CastWalk } from "./cast_walk.js"
import { createValue, STUCK } from "./create_value.js"
import { isContainer } from "./member.js"
import { placeOf, type Place } from "./place.js"
import { checkOf } from "./node_check.js"
import type { Scope } from "./scope.js"

/** More elements than this are not made up. */
const MAX_MADE = 10_000

/** Casts a value that does not fit an array node. */
export function castArray(walk: CastWalk, scope: Scope, schema: TSchema, value: unknown, place: Place | undefined): unknown {
  // The kind says that it is an array.
  const node = schema as TArray
  if (Array.isArray(value)) return castElements(walk, scope, node, value, place)
  const elements = elementsOf(createValue(scope, schema, walk.budget), node.minItems)
  if (elements === undefined) return STUCK
  const out = castElements(walk, scope, node, elements, undefined)
  if (out !== STUCK && place !== undefined) walk.changes.replaced(place, value, out)
  return out
}

/** What Cast takes for the elements of what it has created (which holds anything): a default that is text is spread where it is shorter than the list. */
function elementsOf(created: unknown, minItems: number | undefined): readonly unknown[] | undefined {
  if (Array.isArray(created)) return created as unknown[]
  if (typeof created !== "string" || minItems === undefined || created.length >= minItems || minItems > MAX_MADE) return undefined
  return [...Array.from(created), ...Array.from({ length: minItems - created.length }, () => null)]
}

function castElements(walk: CastWalk, scope: Scope, node: TArray, value: readonly unknown[], place: Place | undefined): unknown {
  const length = Math.min(node.maxItems ?? Infinity, Math.max(value.length, node.minItems ?? 0))
  if (length - value.length > MAX_MADE) return STUCK
  const mark = walk.changes.mark()
  const fits = checkOf(scope, node.items)
  const seen = node.uniqueItems === true ? new Set<unknown>() : undefined
  const out: unknown[] = []
  for (let index = 0; index < length; index++) {
    const isMade = index >= value.length
    // Cast fills up with null and then casts that.
    const sent = isMade ? null : value[index]
    let element: unknown = sent
    const before = walk.changes.mark()
    if (!fits(sent)) {
      const here = isMade || place === undefined ? undefined : placeOf(place, index, out.length)
      const cast = walk.cast(scope, node.items, sent, here)
      if (cast === STUCK && here === undefined) return STUCK
      if (cast !== STUCK) element = cast
    }
    if (seen !== undefined && !isContainer(element)) {
      if (seen.has(element)) {
        walk.changes.rewind(before)
        if (!isMade && place !== undefined) walk.changes.removed(placeOf(place, index), sent)
        continue
      }
      seen.add(element)
    }
    if (isMade && place !== undefined) walk.changes.added(placeOf(place, out.length), element, originOf(scope, node.items, element))
    out.push(element)
  }
  if (place !== undefined) recordTail(walk, place, value, length)
  if (seen !== undefined && !checkOf(scope, node)(out)) return STUCK
  return place !== undefined && walk.changes.mark() === mark ? value : out
}

/** Casts a value that does not fit a tuple node. */
export function castTuple(walk: CastWalk, scope: Scope, schema: TSchema, value: unknown, place: Place | undefined): unknown {
  if (!Array.isArray(value)) return replaceWhole(walk, scope, schema, value, place)
  // The kind says that it is a tuple; an empty one has no items at all, whatever its type says.
  const items = (schema as Partial<TTuple>).items ?? []
  const mark = walk.changes.mark()
  const out: unknown[] = []
  for (const [index, item] of items.entries()) {
    const isMade = index >= value.length
    const sent: unknown = value[index]
    const here = place && placeOf(place, index)
    let element = sent
    if (!checkOf(scope, item)(sent)) {
      const cast = walk.cast(scope, item, sent, isMade ? undefined : here)
      if (cast === STUCK && (isMade || here === undefined)) return STUCK
      if (cast !== STUCK) element = cast
    }
    if (isMade && element === undefined && walk.json) return STUCK
    if (isMade && here !== undefined) walk.changes.added(here, element, originOf(scope, item, element))
    out.push(element)
  }
  if (place !== undefined) recordTail(walk, place, value, items.length)
  return place !== undefined && walk.changes.mark() === mark ? value : out
}

function recordTail(walk: CastWalk, place: Place, value: readonly unknown[], from: number): void {
  for (let index = from; index < value.length; index++) walk.changes.removed(placeOf(place, index), value[index])
}
