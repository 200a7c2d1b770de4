/**
 * The other scalars that a scalar can be read as without losing anything.
 *
 * In: a scalar. Out: what it may mean instead, likeliest first. Text is a number only if it is one of JSON and a double holds
 * it exactly enough to be written the same way: a 19-digit identifier stays text.
 */

/** The readings of `value` as another kind of scalar. */
export function readingsOf(value: unknown): unknown[] {
  if (typeof value === "number" || typeof value === "boolean") return [String(value)]
  if (typeof value !== "string") return []
  if (value === "true" || value === "false") return [value === "true"]
  return isExactNumber(value) ? [Number(value)] : []
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

function isExactNumber(text: string): boolean {
  // No number that a double holds exactly needs more digits than these.
  if (text.length > 24 || !JSON_NUMBER.test(text)) return false
  const number = Number(text)
  return Number.isFinite(number) && (Number.isSafeInteger(number) || (!Number.isInteger(number) && digitsOf(text) <= 15))
}

/** Decimal digits that a double keeps: 15. */
function digitsOf(text: string): number {
  const mantissa = text.replace(/[eE].*$/, "").replace(/[-.]/g, "")
  return mantissa.replace(/^0+/, "").length
}
