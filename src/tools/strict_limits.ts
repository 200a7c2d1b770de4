/**
 * The sizes that OpenAI publishes for schemas in strict mode.
 *
 * In: a strict schema. Out: what is too large in it; nothing where all is well.
 */
import { isObject, type JSONObject } from "../schema.js"
import type { ProviderChange } from "./provider.js"

const MOST = { properties: 5_000, nesting: 10, characters: 120_000, enumValues: 1_000, longEnum: 250, longEnumCharacters: 15_000 } as const

interface Sizes {
  properties: number
  nesting: number
  characters: number
  enumValues: number
  longEnums: boolean
}

/** The limits that a strict schema passes. */
export function limitFaults(schema: JSONObject): ProviderChange[] {
  const sizes: Sizes = { properties: 0, nesting: 0, characters: 0, enumValues: 0, longEnums: false }
  measure(schema, 0, sizes)
  const faults: string[] = []
  if (sizes.properties > MOST.properties) faults.push(`more than ${String(MOST.properties)} properties`)
  if (sizes.nesting > MOST.nesting) faults.push(`objects nested deeper than ${String(MOST.nesting)} levels`)
  if (sizes.characters > MOST.characters) faults.push(`more than ${String(MOST.characters)} characters in names and values`)
  if (sizes.enumValues > MOST.enumValues) faults.push(`more than ${String(MOST.enumValues)} values of enums`)
  if (sizes.longEnums) faults.push(`an enum of more than ${String(MOST.longEnum)} values with more than ${String(MOST.longEnumCharacters)} characters`)
  return faults.map((change) => ({ path: "", change }))
}

function measure(schema: unknown, depth: number, sizes: Sizes): void {
  if (!isObject(schema)) return
  const listed: readonly unknown[] = Array.isArray(schema["enum"]) ? schema["enum"] : []
  const values = "const" in schema ? [...listed, schema["const"]] : listed
  const characters = values.reduce<number>((sum, value) => sum + (typeof value === "string" ? value.length : 0), 0)
  sizes.enumValues += values.length
  sizes.characters += characters
  if (values.length > MOST.longEnum && characters > MOST.longEnumCharacters) sizes.longEnums = true
  const { properties, items, anyOf, $defs: definitions } = schema
  if (isObject(properties)) {
    sizes.nesting = Math.max(sizes.nesting, depth + 1)
    measureNamed(properties, depth + 1, sizes)
    sizes.properties += Object.keys(properties).length
  }
  if (isObject(definitions)) measureNamed(definitions, 0, sizes)
  measure(items, depth, sizes)
  if (Array.isArray(anyOf)) for (const branch of anyOf) measure(branch, depth, sizes)
}

function measureNamed(schemas: JSONObject, depth: number, sizes: Sizes): void {
  for (const [name, each] of Object.entries(schemas)) {
    sizes.characters += name.length
    measure(each, depth, sizes)
  }
}
