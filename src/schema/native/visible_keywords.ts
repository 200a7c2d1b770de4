/**
 * What an exact node shows as JSON: its own keywords, in the words of 2020-12.
 *
 * In: the converter and a node. Out: keywords that mean the same as the source in its dialect, each subschema converted. References
 * lead to definitions of the same conversion, so that the JSON is complete wherever the node is put.
 */
import { METASCHEMA_URI } from "../dialect.js"
import { hasKeyword, ignoresRefSiblings } from "../document/keywords.js"
import type { SchemaNode } from "../document/schema_node.js"
import { whyIgnored } from "../document/survey.js"
import { formatCheck } from "../format.js"
import { isArray, isObject } from "../json_object.js"
import { itemPlaces } from "../kernel/rules/array_rules.js"
import { annotationsOf } from "./annotations.js"
import type { Converter } from "./converter.js"
import { neverNode } from "./typebox_node.js"

const COPIED = [
  ...["type", "enum", "const", "multipleOf", "minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems"],
  ...["required", "minProperties", "maxProperties", "dependentRequired"],
]
const ONE = ["not", "additionalProperties", "propertyNames", "unevaluatedProperties", "unevaluatedItems"]
const LISTS = ["allOf", "anyOf", "oneOf"]
const MAPS = ["properties", "patternProperties", "dependentSchemas"]

/** The JSON keywords of an exact node, with its annotations. */
export function visibleKeywords(converter: Converter, node: SchemaNode): Record<string, unknown> {
  const { schema, resource } = node
  const shown: Record<string, unknown> = annotationsOf(schema)
  const isEffective = (keyword: string) => schema[keyword] !== undefined && hasKeyword(resource.dialect, keyword) && whyIgnored(keyword, schema[keyword]) === undefined
  showReferences(converter, node, shown)
  if (typeof schema.$ref === "string" && ignoresRefSiblings(resource.dialect)) return shown
  if (resource.validates) {
    for (const keyword of COPIED) if (isEffective(keyword)) shown[keyword] = schema[keyword]
    showBounds(node, shown)
  }
  for (const keyword of ONE) if (isEffective(keyword)) shown[keyword] = converter.child(node, keyword)
  for (const keyword of LISTS) {
    const list = schema[keyword]
    if (isArray(list) && list.length > 0) shown[keyword] = list.map((_, index) => converter.child(node, keyword, index))
  }
  for (const keyword of MAPS) {
    const map = schema[keyword]
    if (isObject(map) && isEffective(keyword)) shown[keyword] = children(converter, node, keyword, Object.keys(map))
  }
  if (schema.if !== undefined && hasKeyword(resource.dialect, "if")) {
    for (const keyword of ["if", "then", "else"]) if (schema[keyword] !== undefined) shown[keyword] = converter.child(node, keyword)
  }
  showItems(converter, node, shown)
  showDependencies(converter, node, shown)
  showFormat(converter, node, shown)
  return shown
}

/** A format, in a part with a dialect of its own where 2020-12 means something else by its name. */
function showFormat(converter: Converter, { schema, resource }: SchemaNode, shown: Record<string, unknown>): void {
  const { format } = schema
  if (typeof format !== "string") return
  const dialect = resource.dialect ?? "2020-12"
  if (!converter.asserts.format || formatCheck(format, dialect) === formatCheck(format, "2020-12")) shown.format = format
  // The two oldest dialects mean the same by every format, and draft-04 does not know `$id`.
  else shown.allOf = [...(isArray(shown.allOf) ? shown.allOf : []), { $id: converter.newId(), $schema: METASCHEMA_URI[dialect === "draft-04" ? "draft-06" : dialect], format }]
}

function showReferences(converter: Converter, node: SchemaNode, shown: Record<string, unknown>): void {
  const target = converter.document.target(node)
  if (typeof node.schema.$ref !== "string" || target === undefined || converter.document.loops.has(node)) return
  if (typeof target === "object") shown.$ref = converter.referredId(target)
  else if (!target) shown.not = neverNode()
}

/** Bounds as numbers: a boolean exclusive bound is draft-04's. */
function showBounds({ schema }: SchemaNode, shown: Record<string, unknown>): void {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema
  if (typeof minimum === "number") shown[exclusiveMinimum === true ? "exclusiveMinimum" : "minimum"] = minimum
  if (typeof maximum === "number") shown[exclusiveMaximum === true ? "exclusiveMaximum" : "maximum"] = maximum
  if (typeof exclusiveMinimum === "number") shown.exclusiveMinimum = exclusiveMinimum
  if (typeof exclusiveMaximum === "number") shown.exclusiveMaximum = exclusiveMaximum
}

function showItems(converter: Converter, node: SchemaNode, shown: Record<string, unknown>): void {
  const { schema, resource } = node
  const { prefix, rest } = itemPlaces(node)
  if (prefix !== undefined && prefix.length > 0) {
    shown.prefixItems = Array.from({ length: prefix.length }, (_, index) => converter.child(node, prefix.keyword, index))
  }
  if (rest !== undefined) shown.items = converter.child(node, rest)
  if (schema.contains === undefined || !hasKeyword(resource.dialect, "contains")) return
  const contains: Record<string, unknown> = { contains: converter.child(node, "contains") }
  if (resource.validates && hasKeyword(resource.dialect, "minContains")) {
    for (const keyword of ["minContains", "maxContains"]) if (typeof schema[keyword] === "number") contains[keyword] = schema[keyword]
  }
  // In 2019-09 `contains` evaluates nothing; behind a double `not` it does not in 2020-12 either.
  if (resource.dialect === "2019-09" && converter.document.usesUnevaluated) shown.allOf = [...(isArray(shown.allOf) ? shown.allOf : []), { not: { not: contains } }]
  else Object.assign(shown, contains)
}

function showDependencies(converter: Converter, node: SchemaNode, shown: Record<string, unknown>): void {
  const { dependencies } = node.schema
  if (!isObject(dependencies)) return
  const names = Object.keys(dependencies)
  const required = node.resource.validates ? names.filter((name) => isArray(dependencies[name])) : []
  const schemas = names.filter((name) => !isArray(dependencies[name]))
  if (required.length > 0) {
    shown.dependentRequired = { ...(isObject(shown.dependentRequired) ? shown.dependentRequired : {}), ...Object.fromEntries(required.map((name) => [name, dependencies[name]])) }
  }
  if (schemas.length > 0) {
    shown.dependentSchemas = { ...(isObject(shown.dependentSchemas) ? shown.dependentSchemas : {}), ...children(converter, node, "dependencies", schemas) }
  }
}

function children(converter: Converter, node: SchemaNode, keyword: string, names: readonly string[]): Record<string, unknown> {
  // Defined, not assigned: a name may be `__proto__`.
  return Object.fromEntries(names.map((name) => [name, converter.child(node, keyword, name)]))
}
