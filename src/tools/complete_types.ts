/**
 * Adds what OpenAI insists on and JSON Schema does not: `properties` at the root, `items` for every array.
 *
 * In: a schema. Out: one that says the same.
 */
import { isObject, type JSONObject } from "../schema.js"
import { step } from "./json_schema.js"
import type { Report } from "./provider.js"

/** Members whose values are data, not schemas. */
const DATA = new Set(["default", "examples", "example", "const", "enum", "required"])
/** Members that hold schemas by names of the author's own. */
const NAMED = new Set(["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"])

/** The schema with its types complete; the same one where they are. */
export function completeTypes(schema: JSONObject, report: Report): JSONObject {
  const complete = completed(schema, "", report)
  // What was an object stays one.
  const root = complete as JSONObject
  if (isObject(root["properties"])) return root
  report("/properties", "added, with nothing in it")
  return { ...root, properties: {} }
}

function completed(schema: unknown, pointer: string, report: Report): unknown {
  if (Array.isArray(schema)) return sameOr(schema, schema.map((child: unknown, index) => completed(child, step(pointer, index), report)))
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).map(([key, child]): [string, unknown] => {
    if (DATA.has(key)) return [key, child]
    const place = step(pointer, key)
    if (!NAMED.has(key) || !isObject(child)) return [key, completed(child, place, report)]
    const named = Object.entries(child).map(([name, each]): [string, unknown] => [name, completed(each, step(place, name), report)])
    return [key, named.some(([name, each]) => each !== child[name]) ? Object.fromEntries(named) : child]
  })
  const whole = entries.some(([key, child]) => child !== schema[key]) ? Object.fromEntries(entries) : schema
  const { type } = schema
  const isArray = type === "array" || (Array.isArray(type) && type.includes("array"))
  if (!isArray || "items" in schema || "prefixItems" in schema) return whole
  report(step(pointer, "items"), "added: any item")
  return { ...whole, items: {} }
}

function sameOr(list: readonly unknown[], changed: readonly unknown[]): readonly unknown[] {
  return changed.some((each, index) => each !== list[index]) ? changed : list
}
