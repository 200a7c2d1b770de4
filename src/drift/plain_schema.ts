/**
 * Schemas as plain JSON, without what refuses nothing, and the way through their references.
 *
 * In: JSON Schemas of any dialect. Out: the same with annotations gone, and the targets of local references.
 */
import { isObject, type JSONObject } from "../schema.js"

/** Every keyword by which a schema may refuse a value, or that leads to such a one. Whatever is not here is an annotation. */
const ASSERTING: ReadonlySet<string> = new Set([
  ...["$ref", "$dynamicRef", "$recursiveRef", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$id", "id", "$schema"],
  ...["type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems", "minContains", "maxContains"],
  ...["required", "minProperties", "maxProperties", "dependentRequired"],
  ...["allOf", "anyOf", "oneOf", "not", "if", "then", "else", "dependentSchemas", "dependencies", "contains", "propertyNames"],
  ...["properties", "patternProperties", "additionalProperties", "unevaluatedProperties"],
  ...["items", "prefixItems", "additionalItems", "unevaluatedItems"],
])
const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties", "dependentSchemas", "dependencies"])
const DATA: ReadonlySet<string> = new Set(["enum", "const", "required", "dependentRequired", "type"])

/** A schema as an object: `true` refuses nothing, `false` everything. */
export function membersOf(schema: unknown): JSONObject {
  if (schema === false) return { not: {} }
  return isObject(schema) ? schema : {}
}

/** The schema without annotations and definitions, so that equal ones accept the same values. */
export function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations)
  if (!isObject(schema)) return schema
  const kept: [string, unknown][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (!ASSERTING.has(keyword) || refusesNothing(keyword, value)) continue
    // A list that came out of JSON.
    if (DATA.has(keyword)) kept.push([keyword, keyword === "required" && Array.isArray(value) ? [...(value as unknown[])].sort() : value])
    else if (MAPS.has(keyword) && isObject(value)) kept.push([keyword, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutAnnotations(member)]))])
    else kept.push([keyword, withoutAnnotations(value)])
  }
  return Object.fromEntries(kept)
}

function refusesNothing(keyword: string, value: unknown): boolean {
  if (keyword === "required") return Array.isArray(value) && value.length === 0
  if (keyword === "uniqueItems") return value === false
  if (keyword === "additionalProperties" || keyword === "items" || keyword === "unevaluatedProperties") return value === true || (isObject(value) && Object.keys(value).length === 0)
  return false
}

/** What a reference of this document leads to; undefined where it leads out of it or nowhere. */
export function resolveLocal(root: unknown, reference: unknown): unknown {
  if (reference === "#" || reference === "") return root
  if (typeof reference !== "string" || !reference.startsWith("#/")) return undefined
  let at: unknown = root
  for (const token of reference.slice(2).split("/")) {
    const name = decoded(token).replaceAll("~1", "/").replaceAll("~0", "~")
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, name)) return undefined
    at = Reflect.get(at, name)
  }
  return at
}

function decoded(token: string): string {
  try {
    return decodeURIComponent(token)
  } catch {
    return token
  }
}

/** One step deeper in a JSON pointer (RFC 6901). */
export function pointerTo(pointer: string, ...tokens: (string | number)[]): string {
  return tokens.reduce<string>((at, token) => `${at}/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`, pointer)
}
