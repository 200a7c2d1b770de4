/**
 * The few questions about JSON Schemas as plain data that the rules of providers share.
 *
 * In: schemas of strangers. Out: their parts, or undefined where the shape is another one. Nothing is fetched.
 */
import { isObject, type JSONObject } from "../schema.js"

/** The schemas under `properties`; none where that is no object. */
export function propertiesOf(schema: JSONObject): JSONObject {
  return isObject(schema["properties"]) ? schema["properties"] : {}
}

/** The texts under `required`. */
export function requiredOf(schema: JSONObject): readonly string[] {
  const { required } = schema
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : []
}

/** An object of these members, in which every name is an ordinary one. */
export function fromMembers(members: Iterable<readonly [string, unknown]>): Record<string, unknown> {
  return Object.fromEntries(members)
}

/** What a `#/…` reference leads to in the document; undefined where it leads nowhere or out of it. */
export function resolvePointer(document: unknown, reference: unknown): unknown {
  if (typeof reference !== "string" || !reference.startsWith("#")) return undefined
  if (reference === "#") return document
  if (!reference.startsWith("#/")) return undefined
  let here: unknown = document
  for (const segment of reference.slice(2).split("/")) {
    if (typeof here !== "object" || here === null) return undefined
    const key = decode(segment)
    here = Object.hasOwn(here, key) ? Reflect.get(here, key) : undefined
  }
  return here
}

/** A pointer one step further. */
export function step(pointer: string, key: string | number): string {
  return `${pointer}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`
}

function decode(segment: string): string {
  let text = segment
  try {
    text = decodeURIComponent(segment)
  } catch {
    // A percent sign that begins no escape stands for itself.
  }
  return text.replaceAll("~1", "/").replaceAll("~0", "~")
}
