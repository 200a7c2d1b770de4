/**
 * What a converted node keeps of its source beside what it enforces.
 *
 * In: a subschema. Out: titles, descriptions, defaults, examples and whatever keyword no dialect knows.
 * Identifiers go: TypeBox compiles two schemas with one `$id` to one function, whatever they hold.
 */
import { SUBSCHEMAS } from "../document/keywords.js"
import type { JSONObject } from "../json_object.js"

const NOT_KEPT: ReadonlySet<string> = new Set([
  ...SUBSCHEMAS.keys(),
  ...["$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$ref", "$dynamicRef", "$recursiveRef", "$vocabulary"],
  ...["type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains"],
  ...["required", "minProperties", "maxProperties", "dependentRequired"],
  // TypeBox asserts a format, and refuses everything where it is not registered.
  "format",
])

/** The annotations of a subschema, as a fresh object. */
export function annotationsOf(schema: JSONObject): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const key of Object.keys(schema)) {
    if (!NOT_KEPT.has(key) && key !== "__proto__") kept[key] = schema[key]
  }
  return kept
}
