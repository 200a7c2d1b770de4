/**
 * Adds to a value what its JSON Schema states, and nothing else.
 *
 * In: the source of a schema, a value, and what may be done: add missing members that have a stated default, read scalars as
 * the kind that is asked for. Out: a value that shares with the sent one whatever stayed the same, and the changes.
 * What was sent stays: undeclared members, unknown tags, and wrong values for which the schema states a default.
 */
import { isArray, isObject, type JSONObject } from "../json_object.js"
import type { DataChange } from "../data_change.js"
import type { SchemaNode, Subschema } from "../document/schema_node.js"
import { applicable, ofItem, ofMember, requiredMembers } from "./applicable.js"
import { ChangeRecorder } from "./change_recorder.js"
import { readingsOf } from "./coerced.js"
import { copyOf, STUCK } from "./create_value.js"
import { setMember, type Members } from "./member.js"
import { placeOf, ROOT, type Place } from "./place.js"
import { fitsAll, type Source } from "./source.js"

/** What may be done. */
export interface FillOptions {
  /** Which missing members get their stated default: those that are required, all, or none. */
  readonly defaults: "required" | "all" | "none"
  /** True where a scalar that does not fit may be read as another kind of scalar. */
  readonly coerce: boolean
}

/** The filled value and what was changed. */
export interface Filled {
  readonly data: unknown
  readonly changes: DataChange[]
}

const MAX_DEPTH = 512

/** Fills a value as its schema states. */
export function fillValue(source: Source, value: unknown, options: FillOptions): Filled {
  const filling: Filling = { source, options, changes: new ChangeRecorder() }
  const data = fill(filling, [source.document.root], value, ROOT, 0)
  return { data, changes: filling.changes.changes }
}

interface Filling {
  readonly source: Source
  readonly options: FillOptions
  readonly changes: ChangeRecorder
}

function fill(filling: Filling, subschemas: readonly Subschema[], value: unknown, place: Place, depth: number): unknown {
  if (depth > MAX_DEPTH || subschemas.length === 0) return value
  if (isArray(value)) return fillArray(filling, applicable(filling.source, subschemas, value), value, place, depth)
  if (isObject(value)) return fillObject(filling, applicable(filling.source, subschemas, value), value, place, depth)
  return filling.options.coerce ? coerce(filling, subschemas, value, place) : value
}

function fillArray(filling: Filling, nodes: readonly SchemaNode[], value: readonly unknown[], place: Place, depth: number): unknown {
  let out: unknown[] | undefined
  for (const [index, item] of value.entries()) {
    const filled = fill(filling, ofItem(filling.source, nodes, index), item, placeOf(place, index), depth + 1)
    if (filled === item) continue
    out ??= [...value]
    out[index] = filled
  }
  return out ?? value
}

function fillObject(filling: Filling, nodes: readonly SchemaNode[], value: JSONObject, place: Place, depth: number): unknown {
  let out: Members | undefined
  const set = (key: string, member: unknown): void => {
    out ??= { ...value }
    setMember(out, key, member)
  }
  for (const key of Object.keys(value)) {
    const member = value[key]
    const filled = fill(filling, ofMember(filling.source, nodes, key), member, placeOf(place, key), depth + 1)
    if (filled !== member) set(key, filled)
  }
  for (const key of missingMembers(filling, nodes, value)) {
    const stated = statedDefault(filling, ofMember(filling.source, nodes, key))
    if (stated === STUCK) continue
    set(key, stated)
    filling.changes.added(placeOf(place, key), stated, "default")
  }
  return out ?? value
}

function missingMembers({ options }: Filling, nodes: readonly SchemaNode[], value: JSONObject): string[] {
  if (options.defaults === "none") return []
  const required = requiredMembers(nodes, value)
  const declared = new Set(nodes.flatMap(({ schema }) => (isObject(schema.properties) ? Object.keys(schema.properties) : [])))
  return [...declared].filter((key) => !Object.hasOwn(value, key) && (options.defaults === "all" || required.has(key)))
}

/** A default that the subschemas of a member state and all accept; STUCK where there is none. */
function statedDefault(filling: Filling, subschemas: readonly Subschema[]): unknown {
  for (const { schema } of applicable(filling.source, subschemas, undefined)) {
    if (Object.hasOwn(schema, "default") && fitsAll(filling.source, subschemas, schema.default)) return copyOf(schema.default)
  }
  return STUCK
}

function coerce(filling: Filling, subschemas: readonly Subschema[], value: unknown, place: Place): unknown {
  if (fitsAll(filling.source, subschemas, value)) return value
  const reading = readingsOf(value).find((candidate) => fitsAll(filling.source, subschemas, candidate))
  if (reading === undefined) return value
  filling.changes.replaced(place, value, reading)
  return reading
}
