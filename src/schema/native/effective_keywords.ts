/**
 * Which keywords of a subschema can refuse a value.
 *
 * In: a node and what the conversion asserts. Out: their names. A keyword that its dialect does not have, that is malformed, or
 * that is satisfied by everything (`items: {}`, `propertyNames: { type: "string" }`) is not among them.
 */
import { hasKeyword, ignoresRefSiblings } from "../document/keywords.js"
import type { SchemaNode } from "../document/schema_node.js"
import { whyIgnored } from "../document/survey.js"
import { formatCheck } from "../format.js"
import { isArray, isObject, type JSONObject } from "../json_object.js"
import type { AssertOptions } from "../kernel/rules/string_rules.js"

const VALIDATION: ReadonlySet<string> = new Set([
  ...["type", "enum", "const", "multipleOf", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  ...["minLength", "maxLength", "pattern", "minItems", "maxItems", "uniqueItems"],
  ...["required", "minProperties", "maxProperties", "dependentRequired"],
])

const APPLYING: ReadonlySet<string> = new Set([
  ...["$ref", "$dynamicRef", "$recursiveRef", "allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas", "dependencies"],
  ...["properties", "patternProperties", "additionalProperties", "propertyNames", "unevaluatedProperties"],
  ...["items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"],
])

/** The names of the keywords that can refuse a value. */
export function effectiveKeywords(node: SchemaNode, asserts: AssertOptions): ReadonlySet<string> {
  const { schema, resource } = node
  const names = new Set<string>()
  if (typeof schema.$ref === "string" && ignoresRefSiblings(resource.dialect)) return names.add("$ref")
  for (const keyword of Object.keys(schema)) {
    const value = schema[keyword]
    if (VALIDATION.has(keyword)) {
      if (resource.validates && hasKeyword(resource.dialect, keyword) && canRefuse(keyword, value, schema)) names.add(keyword)
    } else if (APPLYING.has(keyword)) {
      if (hasKeyword(resource.dialect, keyword) && applies(keyword, value, schema)) names.add(keyword)
    } else if (keyword === "format" && typeof value === "string") {
      if ((asserts.format || resource.assertsFormat) && formatCheck(value, resource.dialect ?? "2020-12") !== undefined) names.add(keyword)
    } else if ((keyword === "contentEncoding" || keyword === "contentMediaType") && asserts.content) {
      if (hasKeyword(resource.dialect, keyword)) names.add(keyword)
    }
  }
  return names
}

function canRefuse(keyword: string, value: unknown, schema: JSONObject): boolean {
  if (whyIgnored(keyword, value) !== undefined) return false
  switch (keyword) {
    case "uniqueItems":
      return value === true
    case "exclusiveMinimum":
      return typeof value === "number" || (value === true && typeof schema.minimum === "number")
    case "exclusiveMaximum":
      return typeof value === "number" || (value === true && typeof schema.maximum === "number")
    case "required":
      return isArray(value) && value.length > 0
    case "minLength":
    case "minItems":
    case "minProperties":
      return value !== 0
    default:
      return true
  }
}

function applies(keyword: string, value: unknown, schema: JSONObject): boolean {
  switch (keyword) {
    case "$ref":
    case "$dynamicRef":
    case "$recursiveRef":
      return typeof value === "string"
    case "allOf":
    case "anyOf":
    case "oneOf":
    case "prefixItems":
      return isArray(value) && value.length > 0
    case "properties":
    case "patternProperties":
    case "dependentSchemas":
    case "dependencies":
      return isObject(value) && Object.keys(value).length > 0
    case "items":
      return isArray(value) ? value.length > 0 : isNarrowing(value)
    case "additionalItems":
      return isArray(schema.items) && isNarrowing(value)
    case "propertyNames":
      return isNarrowing(value) && !isAnyName(value)
    case "not":
    case "if":
    case "contains":
      return typeof value === "boolean" || isObject(value)
    default:
      return isNarrowing(value)
  }
}

/** True for a schema that may refuse something: neither `true` nor `{}`. */
function isNarrowing(value: unknown): boolean {
  return value === false || (isObject(value) && Object.keys(value).length > 0)
}

/** True for `{ type: "string" }`, which every name is. */
function isAnyName(value: unknown): boolean {
  return isObject(value) && value.type === "string" && Object.keys(value).length === 1
}
