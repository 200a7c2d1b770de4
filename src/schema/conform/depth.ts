/**
 * Whether a value is nested too deep to be walked.
 *
 * In: a value. Out: true for more than 512 levels of objects and lists, and for a circle. Walks ask when they are a few levels
 * down themselves, since almost no value comes so far and the answer costs a look at everything below.
 */
import { isObject } from "./member.js"

/** Levels of objects and lists that are followed. */
export const MAX_VALUE_DEPTH = 512

/** Levels after which a walk asks how many more there are. */
export const PROBED_DEPTH = 6

/** Values that are looked at. More than that behind one another are parts that stand in many places at once. */
const MAX_PROBED = 10_000_000

/** Thrown inside a walk and caught where it began. */
export class TooDeep extends Error {}

/** True where the value has more levels than are followed, or so many parts that counting them has no end. */
export function isTooDeep(value: unknown): boolean {
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  let left = MAX_PROBED
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (!isObject(at.value)) continue
    if (at.depth >= MAX_VALUE_DEPTH || --left < 0) return true
    for (const key of Object.keys(at.value)) {
      const part = at.value[key]
      if (isObject(part)) waiting.push({ value: part, depth: at.depth + 1 })
    }
  }
  return false
}
