/**
 * Number and Integer.
 *
 * In: a node of that type. Out: the native kind, or undefined where TypeBox's arithmetic is another: it takes a fractional
 * `multipleOf` in binary floating point.
 */
import type { NativeType } from "./convert_node.js"
import { typeboxNode } from "./typebox_node.js"

/** Makes the native node of a numeric type. */
export function numberType(kind: "Number" | "Integer", type: "number" | "integer"): NativeType {
  return (_converter, { schema }) => {
    const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema
    const keywords: Record<string, unknown> = { type }
    if (typeof minimum === "number") keywords[exclusiveMinimum === true ? "exclusiveMinimum" : "minimum"] = minimum
    if (typeof maximum === "number") keywords[exclusiveMaximum === true ? "exclusiveMaximum" : "maximum"] = maximum
    if (typeof exclusiveMinimum === "number") keywords.exclusiveMinimum = exclusiveMinimum
    if (typeof exclusiveMaximum === "number") keywords.exclusiveMaximum = exclusiveMaximum
    if (typeof multipleOf === "number" && multipleOf > 0) {
      if (!Number.isInteger(multipleOf)) return undefined
      keywords.multipleOf = multipleOf
    }
    return Object.values(keywords).every((value) => typeof value !== "number" || Number.isFinite(value)) ? typeboxNode(kind, keywords) : undefined
  }
}
