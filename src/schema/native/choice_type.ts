/**
 * Union and Literal: values of a list, and one of several subschemas.
 *
 * In: a node. Out: the native kind, or undefined. `oneOf` is a Union only where no value can match two of its branches.
 */
import type { TSchema } from "@sinclair/typebox"
import type { SchemaNode } from "../document/schema_node.js"
import { hasKeyword } from "../document/keywords.js"
import { isArray } from "../json_object.js"
import { annotationsOf } from "./annotations.js"
import { TYPE_TESTS, typesOf } from "../json_type.js"
import type { Converter } from "./converter.js"
import type { NativeType } from "./convert_node.js"
import { areDisjoint } from "./disjoint.js"
import { neverNode, typeboxNode } from "./typebox_node.js"

/** The Union of a node that says `anyOf` or `oneOf` and nothing else. */
export const choiceType: NativeType = (converter, node, keywords) => {
  const keyword = keywords.has("anyOf") ? "anyOf" : "oneOf"
  const branches = node.schema[keyword]
  if (!isArray(branches)) return undefined
  if (keyword === "oneOf" && branches.length > 1 && !areDisjoint(converter.document, node)) return undefined
  const parts = branches.map((_, index) => converter.child(node, keyword, index))
  return typeboxNode("Union", { anyOf: Object.freeze(parts) }, annotationsOf(node.schema))
}

/** Lists longer than this are looked up instead: a chain of comparisons is slow, and slow to compile. */
const MAX_LITERALS = 200

/** The Literal, or Union of Literals, of a node with `enum` or `const`; what else it says only takes values out. */
export const literalsType: NativeType = (converter, node, keywords) => {
  const values = literalValues(node)
  if (values === undefined || values.length > MAX_LITERALS) return undefined
  const fits = filterFor(converter, node, keywords)
  const parts = values.filter(fits).map(literal)
  if (parts.some((part) => part === undefined)) return undefined
  const annotations = annotationsOf(node.schema)
  const [only] = parts
  if (only === undefined) return neverNode(annotations)
  if (parts.length === 1) return Object.freeze({ ...annotations, ...only })
  return typeboxNode("Union", { anyOf: Object.freeze(parts) }, annotations)
}

/** What else the node says of its values: mostly nothing, or a type. */
function filterFor(converter: Converter, node: SchemaNode, keywords: ReadonlySet<string>): (value: unknown) => boolean {
  if (keywords.size === 1) return () => true
  const types = typesOf(node.schema.type)
  if (keywords.size === 2 && types !== undefined) return (value) => types.some((type) => TYPE_TESTS.get(type)?.(value) === true)
  const kernel = converter.kernel()
  return (value) => kernel.fits(node, value)
}

function literalValues({ schema, resource }: SchemaNode): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, "const") && hasKeyword(resource.dialect, "const")) return [schema.const]
  return isArray(schema.enum) ? schema.enum : undefined
}

function literal(value: unknown): TSchema | undefined {
  if (value === null) return typeboxNode("Null", { type: "null" })
  if (typeof value === "string" || typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))) {
    return typeboxNode("Literal", { const: value, type: typeof value })
  }
  return undefined
}
