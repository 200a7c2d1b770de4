/**
 * Which subschemas of a document speak about one value, and about each of its members and items.
 *
 * In: subschemas and the value they stand over. Out: those, and what they bring in: the targets of references, all parts of
 * `allOf`, the branch of `anyOf`, `oneOf` and `if` that the value is for. Says nothing of whether the value fits.
 */
import { hasKeyword, ignoresRefSiblings } from "../document/keywords.js"
import type { SchemaNode, Subschema } from "../document/schema_node.js"
import { has, isArray, isObject, type JSONObject } from "../json_object.js"
import { readPattern } from "../pattern.js"
import { selectAlternative } from "./select_alternative.js"
import type { Source } from "./source.js"

/** The subschemas that speak about `value`, each once. */
export function applicable(source: Source, subschemas: readonly Subschema[], value: unknown): SchemaNode[] {
  const found = new Set<SchemaNode>()
  const waiting = [...subschemas]
  // The list grows while it is read.
  for (const subschema of waiting) {
    if (typeof subschema === "boolean" || found.has(subschema)) continue
    found.add(subschema)
    const { document } = source
    if (typeof subschema.schema.$ref === "string") {
      const target = document.loops.has(subschema) ? undefined : document.target(subschema)
      if (target !== undefined) waiting.push(target)
      if (ignoresRefSiblings(subschema.resource.dialect)) continue
    }
    waiting.push(...onSameValue(source, subschema, value))
  }
  return [...found]
}

function onSameValue(source: Source, node: SchemaNode, value: unknown): Subschema[] {
  const { schema } = node
  const { document, kernel } = source
  const under = (keyword: string, key?: string | number): Subschema => document.subschema(node, keyword, key)
  const listed = (keyword: string): Subschema[] => {
    const list = schema[keyword]
    return isArray(list) ? list.map((_, index) => under(keyword, index)) : []
  }
  const found = listed("allOf")
  for (const keyword of ["anyOf", "oneOf"] as const) {
    const branch = selectAlternative(kernel, listed(keyword), value, keyword === "oneOf")
    if (branch !== undefined) found.push(branch)
  }
  if (schema.if !== undefined && hasKeyword(node.resource.dialect, "if")) {
    const taken = kernel.fits(under("if"), value) ? "then" : "else"
    if (schema[taken] !== undefined) found.push(under(taken))
  }
  for (const keyword of ["dependentSchemas", "dependencies"]) {
    const held = schema[keyword]
    if (!isObject(held) || !isObject(value) || !hasKeyword(node.resource.dialect, keyword)) continue
    for (const trigger of Object.keys(held)) {
      if (has(value, trigger) && !isArray(held[trigger])) found.push(under(keyword, trigger))
    }
  }
  return found
}

/** The subschemas that speak about the member `key`. */
export function ofMember(source: Source, nodes: readonly SchemaNode[], key: string): Subschema[] {
  return nodes.flatMap((node) => {
    const found: Subschema[] = []
    const { properties, patternProperties, additionalProperties } = node.schema
    if (isObject(properties) && Object.hasOwn(properties, key)) found.push(source.document.subschema(node, "properties", key))
    let isAdditional = found.length === 0
    for (const pattern of isObject(patternProperties) ? Object.keys(patternProperties) : []) {
      const check = readPattern(pattern)
      // Nobody knows whether such a member is additional.
      if (check.kind === "invalid" || check.kind === "unenforced") isAdditional = false
      else if (check.test(key)) {
        found.push(source.document.subschema(node, "patternProperties", pattern))
        isAdditional = false
      }
    }
    if (isAdditional && additionalProperties !== undefined) found.push(source.document.subschema(node, "additionalProperties"))
    return found
  })
}

/** The subschemas that speak about the item at `index`. */
export function ofItem(source: Source, nodes: readonly SchemaNode[], index: number): Subschema[] {
  return nodes.flatMap((node) => {
    const { schema } = node
    const under = (keyword: string, key?: number): Subschema[] => (schema[keyword] === undefined ? [] : [source.document.subschema(node, keyword, key)])
    const isPrefixed = isArray(schema.prefixItems) && hasKeyword(node.resource.dialect, "prefixItems")
    if (isPrefixed && isArray(schema.prefixItems) && index < schema.prefixItems.length) return under("prefixItems", index)
    if (!isArray(schema.items)) return under("items")
    return index < schema.items.length ? under("items", index) : under("additionalItems")
  })
}

/** The members that the subschemas ask for: by `required`, and by the dependencies that the object has triggered. */
export function requiredMembers(nodes: readonly SchemaNode[], value: JSONObject): Set<string> {
  const required = new Set<string>()
  const add = (names: unknown): void => {
    for (const name of isArray(names) ? names : []) if (typeof name === "string") required.add(name)
  }
  for (const { schema } of nodes) {
    add(schema.required)
    for (const held of [schema.dependentRequired, schema.dependencies]) {
      if (!isObject(held)) continue
      for (const trigger of Object.keys(held)) if (has(value, trigger)) add(held[trigger])
    }
  }
  return required
}
