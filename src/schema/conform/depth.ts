/**
 * Whether a value can be walked at all.
 *
 * In: a value. Out: false for more than 512 levels of objects and lists, for a circle, and for parts that stand in so many places
 * at once that a walk has no end. What JSON.parse makes of a message of usual size is none of these but by malice.
 */
import { isContainer } from "./member.js"

/** Levels of objects and lists that are followed. */
export const MAX_VALUE_DEPTH = 512

/** Objects and lists that are followed; as many as fit into a message of 16 MiB. */
const MAX_PARTS = 6_000_000

/** True where a walk over all of the value ends soon, and within the stack. */
export function isWalkable(value: unknown): boolean {
  let left = MAX_PARTS
  const visit = (at: unknown, depth: number): boolean => {
    if (!isContainer(at)) return true
    if (depth >= MAX_VALUE_DEPTH || --left < 0) return false
    if (Array.isArray(at)) {
      for (const item of at) if (isContainer(item) && !visit(item, depth + 1)) return false
      return true
    }
    for (const key in at) {
      const member = at[key]
      if (isContainer(member) && !visit(member, depth + 1)) return false
    }
    return true
  }
  return visit(value, 0)
}
