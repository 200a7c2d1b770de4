/**
 * Array and Tuple.
 *
 * In: a node of that type. Out: the native kind, or undefined. TypeBox's `uniqueItems` compares hashes that collide, its
 * `contains` never accepts zero matches, and its Tuple is closed and full, so all others are exact.
 */
import type { TSchema } from "@sinclair/typebox"
import { itemPlaces } from "../kernel/rules/array_rules.js"
import type { NativeType } from "./convert_node.js"
import { typeboxNode, unknownNode } from "./typebox_node.js"

/** The native Array of a node. A tuple is exact: TypeBox spells it in the words of draft-07, which 2020-12 does not know. */
export const arrayType: NativeType = (converter, node, keywords) => {
  const { schema } = node
  if (keywords.has("uniqueItems") || keywords.has("contains") || keywords.has("unevaluatedItems")) return undefined
  const { prefix, rest } = itemPlaces(node)
  if (prefix !== undefined && prefix.length > 0) return undefined
  const items: TSchema = rest === undefined ? unknownNode() : converter.child(node, rest)
  const native: Record<string, unknown> = { type: "array", items }
  if (keywords.has("minItems")) native.minItems = schema.minItems
  if (keywords.has("maxItems")) native.maxItems = schema.maxItems
  return typeboxNode("Array", native)
}
