/**
 * Where the evaluation of a subschema goes next.
 *
 * In: a document and a node. Out: its edges, each with what of the value it looks at: the same value, or a part of it. Edges with the
 * same `part` can meet on one part of a value; edges with different ones cannot.
 */
import { isArray, isObject } from "../json_object.js"
import { hasKeyword, ignoresRefSiblings } from "./keywords.js"
import type { SchemaDocument } from "./schema_document.js"
import type { SchemaNode, Subschema } from "./schema_node.js"

/** One step of an evaluation. */
export interface Edge {
  readonly to: SchemaNode
  /** `same`: the value itself; else the part of it, by a name that says which others it can coincide with. */
  readonly part: string
  /** The keyword that refers, which can be given up; undefined where the subschema stands in the node. */
  readonly reference: string | undefined
}

/** The edges of a node that look at the same value. */
export function edgesInPlace(document: SchemaDocument, node: SchemaNode): Edge[] {
  const { schema, resource } = node
  const edges: Edge[] = []
  const add = (to: Subschema | undefined, reference?: string) => {
    if (typeof to === "object") edges.push({ to, part: "same", reference })
  }
  if (typeof schema.$ref === "string") add(document.target(node), "$ref")
  if (typeof schema.$ref === "string" && ignoresRefSiblings(resource.dialect)) return edges
  for (const keyword of ["$dynamicRef", "$recursiveRef"]) {
    const reference = schema[keyword]
    // Where the way decides what a dynamic reference leads to, only the evaluation can find that it never ends.
    if (typeof reference === "string" && hasKeyword(resource.dialect, keyword)) add(document.resolve(node, reference), keyword)
  }
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const list = schema[keyword]
    if (isArray(list)) for (let index = 0; index < list.length; index++) add(document.subschema(node, keyword, index))
  }
  for (const keyword of ["not", "if", "then", "else"]) {
    if (isObject(schema[keyword]) && hasKeyword(resource.dialect, keyword)) add(document.subschema(node, keyword))
  }
  for (const keyword of ["dependentSchemas", "dependencies"]) {
    const map = schema[keyword]
    if (!isObject(map) || !hasKeyword(resource.dialect, keyword)) continue
    for (const name of Object.keys(map)) if (isObject(map[name])) add(document.subschema(node, keyword, name))
  }
  return edges
}

/** All edges of a node. */
export function edgesOf(document: SchemaDocument, node: SchemaNode): Edge[] {
  const edges = edgesInPlace(document, node)
  const { schema, resource } = node
  if (typeof schema.$ref === "string" && ignoresRefSiblings(resource.dialect)) return edges
  const add = (to: Subschema, part: string) => {
    if (typeof to === "object") edges.push({ to, part, reference: undefined })
  }
  const { properties, patternProperties } = schema
  if (isObject(properties)) for (const name of Object.keys(properties)) add(document.subschema(node, "properties", name), `member ${name}`)
  if (isObject(patternProperties)) for (const name of Object.keys(patternProperties)) add(document.subschema(node, "patternProperties", name), "any member")
  for (const keyword of ["additionalProperties", "unevaluatedProperties"]) {
    if (isObject(schema[keyword]) && hasKeyword(resource.dialect, keyword)) add(document.subschema(node, keyword), isObject(patternProperties) ? "any member" : "other member")
  }
  for (const keyword of ["items", "prefixItems"]) {
    const held = schema[keyword]
    if (!hasKeyword(resource.dialect, keyword)) continue
    if (isArray(held)) for (let index = 0; index < held.length; index++) add(document.subschema(node, keyword, index), `item ${index}`)
    else if (isObject(held)) add(document.subschema(node, keyword), "other item")
  }
  for (const keyword of ["additionalItems", "unevaluatedItems"]) {
    if (isObject(schema[keyword]) && hasKeyword(resource.dialect, keyword)) add(document.subschema(node, keyword), "other item")
  }
  if (isObject(schema.contains) && hasKeyword(resource.dialect, "contains")) add(document.subschema(node, "contains"), "any item")
  if (isObject(schema.propertyNames) && hasKeyword(resource.dialect, "propertyNames")) add(document.subschema(node, "propertyNames"), "name")
  return edges
}
