/**
 * What somebody may have meant who asked for an operation that is not there.
 *
 * In: the id asked for, and those that exist. Out: none or a few of them, for an error's message and details.
 */
import { closest, distance } from "fastest-levenshtein"

/** Up to three ids that look like what was asked for; an id that ends in the name asked for counts first. */
export function nearestIds(id: string, ids: readonly string[]): string[] {
  const sameName = ids.filter((known) => known.endsWith(`.${id}`))
  if (sameName.length > 0) return sameName
  if (ids.length === 0) return []
  const near = closest(id, ids)
  return distance(id, near) <= Math.max(2, id.length / 3) ? [near] : []
}
