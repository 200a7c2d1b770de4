/**
 * Whether two JSON values are the same, whatever the order of their members.
 *
 * In: two values as JSON.parse makes them. Out: yes or no. Node's own comparison is not to be had where this runs.
 */

/** True for equal JSON values. */
export function isJSONEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    return Array.isArray(a) && Array.isArray(b) && a.length === b.length && a.every((item, at) => isJSONEqual(item, b[at]))
  }
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isJSONEqual(Reflect.get(a, key), Reflect.get(b, key)))
}
