/**
 * A length in code points as a regular expression.
 *
 * In: a least and a most number of code points. Out: a pattern with that meaning with and without the `u` flag, linear in the
 * text; and back again. TypeBox counts UTF-16 units, so its own `maxLength` would refuse texts that JSON Schema accepts.
 */

/** One code point: a surrogate pair, or a unit that begins none. The three exclude each other, so nothing is tried twice. */
const CODE_POINT = "(?:[\\uD800-\\uDBFF][\\uDC00-\\uDFFF]|[^\\uD800-\\uDBFF]|[\\uD800-\\uDBFF](?![\\uDC00-\\uDFFF]))"

/** Longer limits are checked by counting: an expression that repeats more often is slow to make. */
export const MAX_PATTERN_LENGTH = 10_000

/** The pattern of texts with `least` to `most` code points. */
export function lengthPattern(least: number, most: number | undefined): string {
  return most === undefined ? `^${CODE_POINT}{${least}}` : `^${CODE_POINT}{${least},${most}}$`
}

const COUNTS = /^\{(\d{1,6})(?:\}|,(\d{1,6})\}\$)$/

/** The lengths that a pattern of `lengthPattern` stands for; undefined for every other pattern. */
export function readLengthPattern(pattern: string): { least: number; most: number | undefined } | undefined {
  if (!pattern.startsWith(`^${CODE_POINT}`)) return undefined
  const counts = COUNTS.exec(pattern.slice(CODE_POINT.length + 1))
  return counts === null ? undefined : { least: Number(counts[1]), most: counts[2] === undefined ? undefined : Number(counts[2]) }
}
