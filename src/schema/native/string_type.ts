/**
 * String.
 *
 * In: a node of that type. Out: the native kind, or undefined. TypeBox counts UTF-16 units and matches without the `u` flag, so a
 * length in code points becomes a pattern, and a pattern stands only where the flag makes no difference.
 */
import { lengthPattern, MAX_PATTERN_LENGTH, readLengthPattern } from "../length_pattern.js"
import { readPattern } from "../pattern.js"
import type { NativeType } from "./convert_node.js"
import { typeboxNode } from "./typebox_node.js"

/** The native String of a node. */
export const stringType: NativeType = (_converter, { schema }, keywords) => {
  if (keywords.has("format") || keywords.has("contentEncoding") || keywords.has("contentMediaType")) return undefined
  const pattern = keywords.has("pattern") && typeof schema.pattern === "string" ? schema.pattern : undefined
  const lengths = pattern === undefined ? undefined : readLengthPattern(pattern)
  const least = Math.ceil(Math.max(numberOr(schema.minLength, 0), lengths?.least ?? 0))
  const most = Math.floor(Math.min(numberOr(schema.maxLength, Infinity), lengths?.most ?? Infinity))
  const isPlain = least <= 1 && (most === Infinity || most === 0)
  const native: Record<string, unknown> = { type: "string" }
  if (least > 0) native.minLength = least
  if (isPlain && most === 0) native.maxLength = 0
  if (pattern !== undefined && lengths === undefined) {
    if (!isPlain || readPattern(pattern).kind !== "native") return undefined
    native.pattern = pattern
  } else if (!isPlain) {
    if (least > MAX_PATTERN_LENGTH || (most !== Infinity && most > MAX_PATTERN_LENGTH) || least > most) return undefined
    native.pattern = lengthPattern(least, most === Infinity ? undefined : most)
  }
  return typeboxNode("String", native)
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === "number" ? value : otherwise
}
