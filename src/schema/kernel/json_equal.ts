/**
 * Equality of JSON values, and names that are equal exactly where the values are.
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

/**
 * A way to name values: equal ones get the same name, others another.
 *
 * The name of an object or array is made of the names in it, and remembered, so that a value that holds one part at many places is
 * looked at once.
 */
export function valueNames(): (value: unknown) => unknown {
  const named = new Map<object, string>()
  const names = new Map<string, string>()
  const nameOf = (value: unknown, depth: number): unknown => {
    // Names start with a mark that keeps them apart from strings.
    if (typeof value === "string") return `"${value}`
    if (typeof value !== "object" || value === null) return value
    const known = named.get(value)
    if (known !== undefined) return known
    if (depth > 2_000) throw new TooDeep()
    const parts = isArray(value)
      ? value.map((item) => textOf(nameOf(item, depth + 1)))
      : Object.entries(value)
          .map(([key, member]) => `${JSON.stringify(key)}:${textOf(nameOf(member, depth + 1))}`)
          .sort()
    const text = isArray(value) ? `[${parts.join()}]` : `{${parts.join()}}`
    const name = names.get(text) ?? `#${names.size}`
    names.set(text, name)
    named.set(value, name)
    return name
  }
  return (value) => nameOf(value, 0)
}

function textOf(name: unknown): string {
  return typeof name === "string" && name.startsWith('"') ? JSON.stringify(name) : String(name === 0 ? 0 : name)
}
