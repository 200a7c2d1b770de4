/**
 * Object and Record.
 *
 * In: a node of that type. Out: the native kind, or undefined. Names that objects inherit are exact, since TypeBox reads
 * `value[name]`; so is what its Object does not look at (several patterns, dependencies, property names).
 */
import type { TSchema } from "@sinclair/typebox"
import type { SchemaNode } from "../document/schema_node.js"
import { isArray, isObject } from "../json_object.js"
import { readPattern } from "../pattern.js"
import type { NativeType } from "./convert_node.js"
import type { Converter } from "./converter.js"
import { isSafeAsRequired, scopesKeys, typeboxNode, unknownNode } from "./typebox_node.js"

const NOT_NATIVE = ["propertyNames", "dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"]

/** The native Object or Record of a node. */
export const objectType: NativeType = (converter, node, keywords) => {
  const { schema } = node
  if (NOT_NATIVE.some((keyword) => keywords.has(keyword))) return undefined
  const bounds: Record<string, unknown> = {}
  if (keywords.has("minProperties")) bounds.minProperties = schema.minProperties
  if (keywords.has("maxProperties")) bounds.maxProperties = schema.maxProperties
  const names = keywords.has("properties") && isObject(schema.properties) ? Object.keys(schema.properties) : []
  const required = keywords.has("required") && isArray(schema.required) ? [...new Set(schema.required.filter((name) => typeof name === "string"))] : []
  if (names.some(isSpecialName) || required.some(isSpecialName)) return undefined
  if (keywords.has("patternProperties")) {
    return names.length === 0 && required.length === 0 ? patternRecord(converter, node, keywords, bounds) : undefined
  }
  const additional = keywords.has("additionalProperties") ? schema.additionalProperties : undefined
  if (isObject(additional) && names.length === 0 && required.length === 0) {
    // The empty pattern matches every name; TypeBox's own `^(.*)$` leaves out names with a line break.
    return typeboxNode("Record", { type: "object", patternProperties: Object.freeze({ "": converter.child(node, "additionalProperties") }), ...bounds })
  }
  return objectOf(converter, node, { names, required, additional, bounds })
}

interface ObjectParts {
  readonly names: readonly string[]
  readonly required: readonly string[]
  readonly additional: unknown
  readonly bounds: Record<string, unknown>
}

function objectOf(converter: Converter, node: SchemaNode, { names, required, additional, bounds }: ObjectParts): TSchema | undefined {
  const rest = isObject(additional) ? converter.child(node, "additionalProperties") : undefined
  // TypeBox compiles a scope of keys inside another to code that reads the wrong member.
  if (rest !== undefined && scopesKeys(rest)) return undefined
  const properties: Record<string, TSchema> = {}
  for (const name of names) properties[name] = converter.child(node, "properties", name)
  for (const name of required) {
    if (properties[name] === undefined) {
      // TypeBox looks only at required names that it finds among the properties.
      if (additional === false) return undefined
      properties[name] = rest ?? unknownNode()
    }
    if (!isSafeAsRequired(properties[name], converter.definitionOf)) return undefined
  }
  const native: Record<string, unknown> = { type: "object", properties: Object.freeze(properties) }
  if (required.length > 0) native.required = Object.freeze(required)
  if (additional === false) native.additionalProperties = false
  else if (rest !== undefined) native.additionalProperties = rest
  return typeboxNode("Object", { ...native, ...bounds })
}

function patternRecord(converter: Converter, node: SchemaNode, keywords: ReadonlySet<string>, bounds: Record<string, unknown>): TSchema | undefined {
  const { schema } = node
  const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : []
  const [pattern] = patterns
  if (pattern === undefined || patterns.length > 1) return undefined
  if (pattern !== "" && readPattern(pattern).kind !== "native") return undefined
  const closed = keywords.has("additionalProperties") && schema.additionalProperties === false
  if (keywords.has("additionalProperties") && !closed) return undefined
  const patternProperties = Object.freeze({ [pattern]: converter.child(node, "patternProperties", pattern) })
  return typeboxNode("Record", { type: "object", patternProperties, ...(closed ? { additionalProperties: false } : {}), ...bounds })
}

/** True for a name that every object inherits, and for one that TypeBox refuses to compile. */
export function isSpecialName(name: string): boolean {
  if (name in Object.prototype) return true
  for (let index = 0; index < name.length; index++) if (isRefused(name.charCodeAt(index))) return true
  return false
}

/** The control characters that TypeBox allows in no name. */
function isRefused(code: number): boolean {
  return (code >= 7 && code <= 13) || code === 27 || code === 127
}
