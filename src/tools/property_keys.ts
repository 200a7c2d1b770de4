/**
 * Names of properties in the characters that Anthropic takes, and the way back.
 *
 * In: the root of parameters. Out: the same with the offending names of its own properties spelled otherwise; deeper ones are not
 * looked at by the provider. The function that comes with it puts the server's names back into a model's arguments.
 */
import { contentDigest, type JSONObject } from "../schema.js"
import { fromMembers, propertiesOf, requiredOf, step } from "./json_schema.js"
import type { Report } from "./provider.js"

const FITS = /^[A-Za-z0-9_.-]{1,64}$/

/** The schema in safe names, and the function that gives arguments their own names back. */
export function safeKeys(schema: JSONObject, report: Report): { schema: JSONObject; restore: (args: JSONObject) => JSONObject } {
  const properties = propertiesOf(schema)
  const known = Object.keys(properties)
  const names = new Map<string, string>()
  for (const name of known) {
    if (FITS.test(name)) continue
    const safe = safeName(name, new Set([...known, ...names.values()]))
    names.set(name, safe)
    report(step("/properties", name), `named "${safe}"`)
  }
  if (names.size === 0) return { schema, restore: (args) => args }
  const renamed: Record<string, unknown> = {
    ...schema,
    properties: fromMembers(Object.entries(properties).map(([name, property]) => [names.get(name) ?? name, property])),
  }
  if ("required" in schema) renamed["required"] = requiredOf(schema).map((name) => names.get(name) ?? name)
  const originals = new Map([...names].map(([name, safe]) => [safe, name]))
  return { schema: renamed, restore: (args) => fromMembers(Object.entries(args).map(([name, value]) => [originals.get(name) ?? name, value])) }
}

function safeName(name: string, taken: ReadonlySet<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_.-]+/g, "_").replace(/^_+|_+$/g, "")
  if (FITS.test(plain) && !taken.has(plain)) return plain
  return `${plain.slice(0, 55)}_${contentDigest(name).slice(0, 8)}`
}
