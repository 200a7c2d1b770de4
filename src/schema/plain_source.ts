/**
 * A private copy of a schema as JSON, whatever was given.
 *
 * In: anything. Out: plain JSON of bounded size, and its text. What JSON does not write (undefined, functions, symbols) is gone;
 * circles, endless nesting and objects that share parts without end are cut, which the losses say.
 */
import { isArray } from "./json_object.js"
import { MAX_RAW_DEPTH, MAX_RAW_VALUES } from "./limits.js"
import type { LossList } from "./loss.js"

/** The JSON text of a schema; undefined when it is no JSON. */
export function plainText(schema: unknown, losses: LossList): string | undefined {
  try {
    const bounded = isBounded(schema) ? schema : trimmed(schema, losses)
    const text: unknown = JSON.stringify(bounded)
    return typeof text === "string" ? text : undefined
  } catch {
    // A BigInt, a throwing getter or toJSON, a revoked proxy: no JSON.
    return undefined
  }
}

function isBounded(schema: unknown): boolean {
  let left = MAX_RAW_VALUES
  const visit = (value: unknown, depth: number): boolean => {
    if (--left < 0) return false
    if (typeof value !== "object" || value === null) return true
    if (depth > MAX_RAW_DEPTH) return false
    if (isArray(value)) {
      for (const item of value) if (!visit(item, depth + 1)) return false
      return true
    }
    for (const member of Object.values(value)) if (!visit(member, depth + 1)) return false
    return true
  }
  return visit(schema, 0)
}

function trimmed(schema: unknown, losses: LossList): unknown {
  const cut = { isNeeded: false, left: MAX_RAW_VALUES }
  const copy = (value: unknown, depth: number): unknown => {
    if (typeof value !== "object" || value === null) return value
    if (--cut.left < 0 || depth > MAX_RAW_DEPTH) {
      cut.isNeeded = true
      return true
    }
    if (isArray(value)) return value.map((item) => copy(item, depth + 1))
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, copy(member, depth + 1)]))
  }
  const result = copy(schema, 0)
  if (cut.isNeeded) losses.add("", "depth", `is nested deeper than ${MAX_RAW_DEPTH} levels or holds more than ${MAX_RAW_VALUES} values; what lies beyond counts as true`)
  return result
}
