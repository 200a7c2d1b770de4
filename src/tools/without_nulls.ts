/**
 * Takes out of a model's arguments the nulls that stand for properties which were left out.
 *
 * In: arguments by the strict form, and the server's schema. Out: arguments by the server's schema. A null that the server's schema
 * takes is the model's own, and stays.
 */
import { isObject, type JSONObject } from "../schema.js"
import { fromMembers, propertiesOf, requiredOf, resolvePointer } from "./json_schema.js"

const MOST_DEPTH = 128

/** The value without the nulls that its schema does not take for a property that may be missing. */
export function withoutNulls(value: unknown, schema: unknown, document: JSONObject, depth = 0): unknown {
  const here = followed(schema, document)
  if (here === undefined || depth > MOST_DEPTH) return value
  if (Array.isArray(value)) return value.map((item: unknown, index) => withoutNulls(item, itemSchema(here, index), document, depth + 1))
  if (!isObject(value)) return value
  const parts = [here, ...branchesFor(value, here, document)]
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const owner = parts.find((part) => Object.hasOwn(propertiesOf(part), name))
    if (owner === undefined) return [[name, member]]
    const property = propertiesOf(owner)[name]
    const isLeftOut = member === null && !parts.some((part) => requiredOf(part).includes(name)) && !takesNull(property, document, 0)
    return isLeftOut ? [] : [[name, withoutNulls(member, property, document, depth + 1)]]
  })
  return fromMembers(members)
}

/** The branches of a schema that a value may be meant for, with their own branches. */
function branchesFor(value: JSONObject, schema: JSONObject, document: JSONObject, depth = 0): JSONObject[] {
  if (depth > MOST_DEPTH) return []
  const all = listOf(schema["allOf"], document)
  const choices = [...listOf(schema["anyOf"], document), ...listOf(schema["oneOf"], document)]
  const meant = choices.find((branch) => isMeant(value, branch, document))
  // Where the properties of all branches became those of one object, no branch has all that is given.
  const taken = meant === undefined ? choices : [meant]
  return [...all, ...taken].flatMap((part) => [part, ...branchesFor(value, part, document, depth + 1)])
}

function isMeant(value: JSONObject, branch: JSONObject, document: JSONObject): boolean {
  const properties = propertiesOf(branch)
  if (!requiredOf(branch).every((name) => Object.hasOwn(value, name))) return false
  return Object.entries(value).every(([name, member]) => {
    if (!Object.hasOwn(properties, name)) return false
    const property = followed(properties[name], document)
    if (property === undefined || member === null) return true
    if ("const" in property) return property["const"] === member
    return !Array.isArray(property["enum"]) || property["enum"].includes(member)
  })
}

function takesNull(schema: unknown, document: JSONObject, depth: number): boolean {
  const here = followed(schema, document)
  if (here === undefined || depth > MOST_DEPTH) return schema !== false
  const { type, enum: values } = here
  if (Array.isArray(values)) return values.includes(null)
  if ("const" in here) return here["const"] === null
  if (type !== undefined) return type === "null" || (Array.isArray(type) && type.includes("null"))
  const choices = [...listOf(here["anyOf"], document), ...listOf(here["oneOf"], document)]
  if (choices.length > 0) return choices.some((branch) => takesNull(branch, document, depth + 1))
  return listOf(here["allOf"], document).every((part) => takesNull(part, document, depth + 1))
}

function itemSchema({ items, prefixItems }: JSONObject, index: number): unknown {
  const tuple: unknown = Array.isArray(prefixItems) ? prefixItems : items
  return Array.isArray(tuple) ? tuple[index] : tuple
}

function listOf(schemas: unknown, document: JSONObject): JSONObject[] {
  if (!Array.isArray(schemas)) return []
  return schemas.map((schema: unknown) => followed(schema, document)).filter((schema) => schema !== undefined)
}

function followed(schema: unknown, document: JSONObject): JSONObject | undefined {
  let here = schema
  for (let hops = 0; isObject(here) && "$ref" in here && hops < MOST_DEPTH; hops++) here = resolvePointer(document, here["$ref"])
  return isObject(here) ? here : undefined
}
