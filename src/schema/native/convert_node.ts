/**
 * Chooses for one subschema the native kind that means the same, or the exact kind.
 *
 * In: the converter and a node. Out: a TypeBox schema. Every branch here answers one question: is there a kind whose check,
 * compiled check and errors agree with JSON Schema on every value? Where the answer is not plainly yes, the node is exact.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { SchemaNode } from "../document/schema_node.js"
import { typesOf } from "../json_type.js"
import { allOfType } from "./all_of_type.js"
import { annotationsOf } from "./annotations.js"
import { arrayType } from "./array_type.js"
import { choiceType, literalsType } from "./choice_type.js"
import type { Converter } from "./converter.js"
import { effectiveKeywords } from "./effective_keywords.js"
import { numberType } from "./number_type.js"
import { objectType } from "./object_type.js"
import { stringType } from "./string_type.js"
import { typeboxNode, unknownNode } from "./typebox_node.js"
import { visibleKeywords } from "./visible_keywords.js"

/** Makes the native node of a type, or says that there is none. */
export type NativeType = (converter: Converter, node: SchemaNode, keywords: ReadonlySet<string>) => TSchema | undefined

/** The TypeBox schema of a node. */
export function convertNode(converter: Converter, node: SchemaNode): TSchema {
  return nativeNode(converter, node) ?? converter.exact(node, visibleKeywords(converter, node))
}

function nativeNode(converter: Converter, node: SchemaNode): TSchema | undefined {
  const { schema } = node
  const keywords = effectiveKeywords(node, converter.asserts)
  if (converter.document.usesUnevaluated && EVALUATING.some((keyword) => schema[keyword] !== undefined && !keywords.has(keyword))) return undefined
  if (keywords.size === 0) return unknownNode(annotationsOf(schema))
  if (keywords.has("$ref")) return keywords.size === 1 ? referenceType(converter, node) : undefined
  if (keywords.has("enum") || keywords.has("const")) return literalsType(converter, node, keywords)
  if (keywords.has("type")) return typedNode(converter, node, keywords)
  if (keywords.size > 1) return undefined
  if (keywords.has("anyOf") || keywords.has("oneOf")) return choiceType(converter, node, keywords)
  if (keywords.has("allOf")) return allOfType(converter, node, keywords)
  if (keywords.has("not")) return typeboxNode("Not", { not: converter.child(node, "not") }, annotationsOf(schema))
  return undefined
}

/** Keywords that evaluate what they look at although they may refuse nothing; native kinds would leave them out. */
const EVALUATING = ["additionalProperties", "items", "additionalItems", "unevaluatedProperties", "unevaluatedItems"]

function referenceType(converter: Converter, node: SchemaNode): TSchema {
  const target = converter.document.target(node)
  if (target === undefined || converter.document.loops.has(node)) return unknownNode(annotationsOf(node.schema))
  return converter.refer(target, annotationsOf(node.schema))
}

const STRING_KEYWORDS = ["minLength", "maxLength", "pattern", "format", "contentEncoding", "contentMediaType"]
const NUMBER_KEYWORDS = ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"]
const ARRAY_KEYWORDS = ["minItems", "maxItems", "uniqueItems", "items", "prefixItems", "additionalItems", "contains", "unevaluatedItems"]
const OBJECT_KEYWORDS = [
  ...["properties", "required", "additionalProperties", "patternProperties", "propertyNames", "minProperties", "maxProperties"],
  ...["dependentRequired", "dependentSchemas", "dependencies", "unevaluatedProperties"],
]

/** Keywords that only values of one type heed, by that type. */
const KEYWORDS_OF: ReadonlyMap<string, { readonly keywords: readonly string[]; readonly make: NativeType }> = new Map([
  ["string", { keywords: STRING_KEYWORDS, make: stringType }],
  ["number", { keywords: NUMBER_KEYWORDS, make: numberType("Number", "number") }],
  ["integer", { keywords: NUMBER_KEYWORDS, make: numberType("Integer", "integer") }],
  ["boolean", { keywords: [], make: () => typeboxNode("Boolean", { type: "boolean" }) }],
  ["null", { keywords: [], make: () => typeboxNode("Null", { type: "null" }) }],
  ["array", { keywords: ARRAY_KEYWORDS, make: arrayType }],
  ["object", { keywords: OBJECT_KEYWORDS, make: objectType }],
])

const TYPED: ReadonlySet<string> = new Set(["type", ...[...KEYWORDS_OF.values()].flatMap(({ keywords }) => keywords)])

function typedNode(converter: Converter, node: SchemaNode, keywords: ReadonlySet<string>): TSchema | undefined {
  const types = (typesOf(node.schema.type) ?? []).filter((type, _, all) => type !== "integer" || !all.includes("number"))
  const combined = [...keywords].filter((keyword) => !TYPED.has(keyword))
  const annotations = annotationsOf(node.schema)
  if (combined.length > 0) {
    return types.length === 1 && types[0] === "object" && combined.length === 1 && combined[0] === "allOf" ? allOfType(converter, node, keywords) : undefined
  }
  const parts: TSchema[] = []
  for (const type of types) {
    const entry = KEYWORDS_OF.get(type)
    const part = entry?.make(converter, node, new Set([...keywords].filter((keyword) => entry.keywords.includes(keyword))))
    if (part === undefined) return undefined
    parts.push(part)
  }
  const [only] = parts
  if (only === undefined) return undefined
  if (parts.length > 1) return typeboxNode("Union", { anyOf: Object.freeze(parts) }, annotations)
  return Object.freeze({ ...annotations, ...only, [Kind]: only[Kind] })
}
