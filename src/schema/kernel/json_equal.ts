/**
 * Equality of JSON values, and a text that is equal exactly where the values are.
 *
 * Numbers are equal by value (1 and 1.0, 0 and -0), objects without regard to the order of their members.
 */
import { isArray, isObject } from "../json_object.js"
import { TooDeep } from "./evaluation.js"

/** True when two JSON values are the same; nesting beyond `depth` throws `TooDeep`. */
export function jsonEqual(left: unknown, right: unknown, depth = 2_000): boolean {
  if (left === right) return true
  if (depth < 0) throw new TooDeep()
  if (isArray(left)) {
    return isArray(right) && left.length === right.length && left.every((item, index) => jsonEqual(item, right[index], depth - 1))
  }
  if (!isObject(left) || !isObject(right)) return false
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => Object.hasOwn(right, key) && jsonEqual(left[key], right[key], depth - 1))
}

/** The same text for equal values, and only for those. */
export function canonicalText(value: unknown, depth = 2_000): string {
  if (depth < 0) throw new TooDeep()
  if (isArray(value)) return `[${value.map((item) => canonicalText(item, depth - 1)).join(",")}]`
  if (!isObject(value)) return typeof value === "string" ? JSON.stringify(value) : String(value === 0 ? 0 : value)
  const keys = Object.keys(value).sort()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalText(value[key], depth - 1)}`).join(",")}}`
}
