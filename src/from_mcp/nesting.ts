/**
 * Whether a value is nested deeper than a limit.
 *
 * Walks with a stack of its own: the very values that it is meant to find would exhaust the call stack.
 */

/** True when arrays and objects stand in each other more than `limit` deep. */
export function isDeeperThan(value: unknown, limit: number): boolean {
  let level: object[] = typeof value === "object" && value !== null ? [value] : []
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > limit) return true
    const next: object[] = []
    for (const container of level) {
      const children: unknown[] = Array.isArray(container) ? container : Object.values(container)
      for (const child of children) {
        if (typeof child === "object" && child !== null) next.push(child)
      }
    }
    level = next
  }
  return false
}
