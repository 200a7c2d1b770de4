/**
 * The seven types of JSON Schema.
 *
 * In: a type name, or the value of `type`. Out: its check, or the names that mean something. Knows nothing of other keywords.
 */
import { isArray, isObject } from "./json_object.js"

/** The check of each type name of JSON Schema. */
export const TYPE_TESTS: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map<unknown, (value: unknown) => boolean>([
  ["string", (value) => typeof value === "string"],
  ["number", (value) => typeof value === "number" && Number.isFinite(value)],
  ["integer", (value) => Number.isInteger(value)],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["object", isObject],
  ["array", isArray],
])

/** The type names of a subschema that mean something; undefined when `type` says nothing that could be checked. */
export function typesOf(type: unknown): readonly string[] | undefined {
  const names = isArray(type) ? type : [type]
  const known = names.filter((name): name is string => TYPE_TESTS.has(name))
  return known.length > 0 && known.length === names.length ? [...new Set(known)] : undefined
}
