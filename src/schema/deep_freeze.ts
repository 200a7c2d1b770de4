/**
 * Makes JSON unchangeable, at every level.
 *
 * In: plain JSON that belongs to the caller alone. Out: the same value, frozen. It is shared by everyone who converts an equal schema.
 */

/** The value, frozen with everything in it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  Object.freeze(value)
  for (const member of Object.values(value)) deepFreeze(member)
  return value
}
