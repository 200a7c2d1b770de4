/**
 * Brings the root of parameters to a plain object: no choice, no reference, no other type.
 *
 * In: a schema. Out: one whose root says `type: "object"` and names every property that some branch of the old root names. It takes
 * all that the old one took, and more: what a call may hold is still decided by the schema of the operation.
 */
import { isObject, type JSONObject } from "../schema.js"
import { fromMembers, propertiesOf, requiredOf, resolvePointer } from "./json_schema.js"
import type { Report } from "./provider.js"

const CHOICES = ["anyOf", "oneOf"] as const
const ALL = "allOf"
const REFUSED = ["enum", "not", "const"] as const
const MOST_REFERENCES = 16

/** The schema with a plain object as its root; the same one where it is that already. */
export function rootObject(schema: JSONObject, report: Report): JSONObject {
  let root = dereferenced(schema, schema, report)
  const { type } = root
  if (type !== "object") {
    report("/type", type === undefined ? `added "object"` : `"object" in place of ${JSON.stringify(type)}`)
    root = { ...root, type: "object" }
  }
  for (const keyword of REFUSED) {
    if (!(keyword in root)) continue
    report(`/${keyword}`, "left out: not taken at the root")
    root = without(root, keyword)
  }
  for (const keyword of [ALL, ...CHOICES] as const) {
    const branches = root[keyword]
    if (branches === undefined) continue
    report(`/${keyword}`, keyword === ALL ? "its parts became properties of the root" : "the properties of all its branches became properties of the root")
    root = mergedParts(without(root, keyword), Array.isArray(branches) ? branches : [], keyword === ALL, schema)
  }
  return root
}

function dereferenced(root: JSONObject, document: JSONObject, report: Report): JSONObject {
  let here = root
  for (let hops = 0; "$ref" in here; hops++) {
    const target = hops < MOST_REFERENCES ? resolvePointer(document, here["$ref"]) : undefined
    report("/$ref", isObject(target) ? "replaced by what it leads to" : "left out: it leads nowhere")
    here = isObject(target) ? { ...target, ...without(here, "$ref") } : without(here, "$ref")
  }
  return here
}

/**
 * One object that names the properties of all parts. `all` says that every part holds (`allOf`), so that what one requires is required; else
 * what all of them require is.
 */
export function mergedParts(root: JSONObject, branches: readonly unknown[], all: boolean, document: JSONObject): JSONObject {
  const parts = branches.map((branch) => flat(branch, document, 0)).filter(isObject)
  const properties = new Map(Object.entries(propertiesOf(root)))
  for (const part of parts) {
    for (const [name, property] of Object.entries(propertiesOf(part))) properties.set(name, either(properties.get(name), property))
  }
  const lists = parts.map(requiredOf)
  const more = all ? lists.flat() : (lists[0] ?? []).filter((name) => lists.every((list) => list.includes(name)))
  const required = [...new Set([...requiredOf(root), ...more])]
  return {
    ...root,
    properties: fromMembers(properties),
    ...(required.length > 0 ? { required } : {}),
  }
}

/** A branch as one object: references followed, choices inside it merged likewise. */
function flat(branch: unknown, document: JSONObject, depth: number): JSONObject | undefined {
  if (!isObject(branch) || depth > MOST_REFERENCES) return undefined
  if ("$ref" in branch) {
    const target = flat(resolvePointer(document, branch["$ref"]), document, depth + 1)
    return target === undefined ? without(branch, "$ref") : { ...target, ...without(branch, "$ref") }
  }
  let whole = branch
  for (const keyword of [ALL, ...CHOICES] as const) {
    const branches = whole[keyword]
    if (!Array.isArray(branches)) continue
    const parts = branches.map((part) => flat(part, document, depth + 1)).filter(isObject)
    whole = mergedParts(without(whole, keyword), parts, keyword === ALL, document)
  }
  return whole
}

function either(one: unknown, other: unknown): unknown {
  if (one === undefined || JSON.stringify(one) === JSON.stringify(other)) return other
  const known: unknown[] = isObject(one) && Object.keys(one).length === 1 && Array.isArray(one["anyOf"]) ? one["anyOf"] : [one]
  if (known.some((each) => JSON.stringify(each) === JSON.stringify(other))) return one
  return { anyOf: [...known, other] }
}

function without(schema: JSONObject, keyword: string): JSONObject {
  return fromMembers(Object.entries(schema).filter(([name]) => name !== keyword))
}
