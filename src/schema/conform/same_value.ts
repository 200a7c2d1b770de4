/**
 * Whether two JSON values are the same.
 *
 * In: two values. Out: true when they have the same type, members and elements; the order of keys does not count.
 * Numbers are compared by `Object.is`, so -0 and 0 differ: a report that calls them equal could not be undone.
 */
import { hasOwn, isObject } from "./member.js"

const MAX_DEPTH = 512

/** True for equal JSON values. What is nested deeper than 512 counts as different. */
export function isSameValue(left: unknown, right: unknown, depth = 0): boolean {
  if (Object.is(left, right)) return true
  if (!isObject(left) || !isObject(right) || depth > MAX_DEPTH) return false
  if (Array.isArray(left) || Array.isArray(right)) {
    if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
    return left.every((element, index) => isSameValue(element, right[index], depth + 1))
  }
  const keys = Object.keys(left)
  if (keys.length !== Object.keys(right).length) return false
  return keys.every((key) => hasOwn(right, key) && isSameValue(left[key], right[key], depth + 1))
}
