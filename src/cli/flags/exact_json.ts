/**
 * JSON text to values without rounding a whole number.
 *
 * In: text from the command line or stdin. Out: the value, or an error that says the text holds a whole number which a
 * JavaScript number cannot carry. A rounded id would reach another record, and nobody would see it.
 * Knows nothing of options; messages never hold the text.
 */

/** Thrown for a whole number that would be rounded. */
export class RoundedNumberError extends Error {
  override readonly name = "RoundedNumberError"
}

/** What a JSON number looks like. */
export const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** The value of a JSON text. Throws SyntaxError for what is no JSON, and RoundedNumberError for a number that would be rounded. */
export function parseExactJSON(text: string): unknown {
  const value: unknown = JSON.parse(text)
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (!token.startsWith('"') && !isCarriedExactly(token)) throw new RoundedNumberError("A whole number is too large to be carried exactly")
  }
  return value
}

/** False for a whole number whose digits change on the way through a JavaScript number, and for one beyond its range. */
export function isCarriedExactly(source: string): boolean {
  const number = Number(source)
  if (!Number.isFinite(number)) return false
  const sent = decimal(source)
  return !sent.isWhole || sent.text === decimal(String(number)).text
}

/** A decimal text in one spelling: its significant digits and the power of ten behind them. */
function decimal(source: string): { isWhole: boolean; text: string } {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const digits = (whole + fraction).replace(/^0+/, "")
  const significant = digits.replace(/0+$/, "")
  const power = Number(exponent) - fraction.length + (digits.length - significant.length)
  return { isWhole: power >= 0, text: significant === "" ? "0" : `${sign}${significant}e${String(power)}` }
}
