/**
 * How a converted schema writes itself as JSON inside a host's type.
 *
 * In: a converted schema, and the prefix of the names that its definitions have. Out: its `toJSON`. A host may put one schema at several
 * places of a type, and JSON Schema wants every `$id` once in a document: below a key, names carry that key. At the top, and in a copy
 * that was spread, they are as TypeBox sees them.
 */
import type { TSchema } from "@sinclair/typebox"
import { SUBSCHEMAS } from "../document/keywords.js"
import { isArray, isObject, type JSONObject } from "../json_object.js"

/** The `toJSON` of a schema whose definitions have names that start with `prefix`. */
export function toOwnJSON(schema: TSchema, prefix: string): (key: string) => unknown {
  return (key) => {
    // Without its symbols, and without toJSON, which is not enumerable.
    const plain = { ...schema }
    return key === "" ? plain : renamed(plain, (name) => (name.startsWith(prefix) ? `${name}:${encodeURIComponent(key)}` : name))
  }
}

function renamed(schema: JSONObject, rename: (name: string) => string): JSONObject {
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    const shape = SUBSCHEMAS.get(keyword)
    if ((keyword === "$id" || keyword === "$ref") && typeof value === "string") copy[keyword] = rename(value)
    else if (shape === undefined) copy[keyword] = value
    else copy[keyword] = renamedBelow(value, shape.startsWith("map"), rename)
  }
  return copy
}

function renamedBelow(value: unknown, isMap: boolean, rename: (name: string) => string): unknown {
  if (isArray(value)) return value.map((item) => (isObject(item) ? renamed(item, rename) : item))
  if (!isObject(value)) return value
  if (!isMap) return renamed(value, rename)
  // Names of definitions are renamed with them; entries, not assignments: a name may be `__proto__`.
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [rename(name), isObject(member) ? renamed(member, rename) : member]))
}
