/**
 * `allOf`: one Object where all parts are plain objects, the part itself where there is one.
 *
 * In: a node whose only combining keyword is `allOf`. Out: the native kind, or undefined. TypeBox's Intersect is no way out:
 * its Default and Clean turn arrays into objects and its Cast loses every member, so parts are merged into one Object.
 */
import type { TSchema } from "@sinclair/typebox"
import type { SchemaNode } from "../document/schema_node.js"
import { isArray, isObject } from "../json_object.js"
import { typesOf } from "../json_type.js"
import { annotationsOf } from "./annotations.js"
import type { NativeType } from "./convert_node.js"
import type { Converter } from "./converter.js"
import { effectiveKeywords } from "./effective_keywords.js"
import { isSpecialName } from "./object_type.js"
import { isSafeAsRequired, typeboxNode, unknownNode } from "./typebox_node.js"

/** The native node of a node with `allOf`. */
export const allOfType: NativeType = (converter, node, keywords) => {
  const list = node.schema.allOf
  if (!isArray(list)) return undefined
  const annotations = annotationsOf(node.schema)
  if (list.length === 1 && keywords.size === 1) return Object.freeze({ ...converter.child(node, "allOf", 0), ...annotations })
  const parts = list.map((_, index) => resolved(converter, converter.document.subschema(node, "allOf", index)))
  return merged(converter, [node, ...parts], annotations)
}

/** A part, or what it refers to where it does nothing but refer. */
function resolved(converter: Converter, part: SchemaNode | boolean): SchemaNode | undefined {
  const { document } = converter
  let at: SchemaNode | boolean | undefined = part
  for (let hops = 0; hops < 16 && typeof at === "object"; hops++) {
    if (document.cuts.has(at)) return undefined
    const keywords = effectiveKeywords(at, converter.asserts)
    if (!keywords.has("$ref")) return at
    if (keywords.size > 1 || document.loops.has(at)) return undefined
    at = document.target(at)
  }
  return undefined
}

const MERGED: ReadonlySet<string> = new Set(["type", "properties", "required", "allOf"])

/** One Object of all parts, where each property is said by one of them only and none of them is closed. */
function merged(converter: Converter, parts: readonly (SchemaNode | undefined)[], annotations: Record<string, unknown>): TSchema | undefined {
  const properties: Record<string, TSchema> = {}
  const required = new Set<string>()
  let isObjectType = false
  for (const [index, part] of parts.entries()) {
    if (part === undefined) return undefined
    const keywords = effectiveKeywords(part, converter.asserts)
    for (const keyword of keywords) if (!MERGED.has(keyword) || (keyword === "allOf" && index > 0)) return undefined
    if (keywords.has("type")) {
      const types = typesOf(part.schema.type)
      if (types?.length !== 1 || types[0] !== "object") return undefined
      isObjectType = true
    }
    if (keywords.has("required") && isArray(part.schema.required)) for (const name of part.schema.required) required.add(String(name))
    if (!keywords.has("properties") || !isObject(part.schema.properties)) continue
    for (const name of Object.keys(part.schema.properties)) {
      if (isSpecialName(name) || Object.hasOwn(properties, name)) return undefined
      properties[name] = converter.child(part, "properties", name)
    }
  }
  if (!isObjectType) return undefined
  for (const name of required) {
    if (isSpecialName(name)) return undefined
    properties[name] ??= unknownNode()
    if (!isSafeAsRequired(properties[name], converter.definitionOf)) return undefined
  }
  const native: Record<string, unknown> = { type: "object", properties: Object.freeze(properties) }
  if (required.size > 0) native.required = Object.freeze([...required])
  return typeboxNode("Object", native, annotations)
}
