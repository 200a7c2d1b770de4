/**
 * The formats `hostname` (RFC 1123 and, for its A-labels, RFC 5890) and `idn-hostname` (RFC 5890).
 *
 * In: a text. Out: true where it is the name of a host. A trailing dot is refused, as is an empty label. Lengths are looked at
 * first, since what comes after is not linear.
 */
import { fitsBidiRule, isULabel } from "./idna.js"
import { decodePunycode, encodePunycode } from "./punycode.js"

const ASCII_LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/
const A_LABEL = /^xn--/i
const LONGEST_LABEL = 63
const LONGEST_NAME = 253
const LABEL_SEPARATOR = /[.\u3002\uff0e\uff61]/

/** Labels of ASCII letters, digits and hyphens. What an A-label stands for is not looked at: the oldest dialects know no such labels. */
export function isASCIIHostname(text: string): boolean {
  return text.length <= LONGEST_NAME && text.split(".").every((label) => ASCII_LABEL.test(label))
}

/** The same, and each A-label stands for a valid U-label. */
export function isHostname(text: string): boolean {
  return isASCIIHostname(text) && isInternationalHostname(text)
}

/** Labels of any script, or their A-labels. */
export function isInternationalHostname(text: string): boolean {
  // Each code point takes one octet of the ASCII form or more.
  if (text.length > 2 * LONGEST_NAME) return false
  const labels = text.split(LABEL_SEPARATOR).map(readLabel)
  const length = labels.reduce((sum, label) => sum + (label?.ascii.length ?? 0) + 1, -1)
  return (
    length <= LONGEST_NAME &&
    labels.every((label) => label !== undefined) &&
    fitsBidiRule(labels.map(({ unicode }) => unicode))
  )
}

/** Both forms of a label; undefined where it is not allowed. */
function readLabel(label: string): { ascii: string; unicode: string } | undefined {
  if (A_LABEL.test(label)) {
    const ascii = label.toLowerCase()
    const points = ascii.length > LONGEST_LABEL ? undefined : decodePunycode(ascii.slice(4))
    if (points === undefined || points.some((point) => point >= 0xd800 && point <= 0xdfff)) return undefined
    const unicode = String.fromCodePoint(...points)
    const same = points.some((point) => point > 127) && `xn--${encodePunycode(points)}` === ascii
    return same && isULabel(unicode) ? { ascii, unicode } : undefined
  }
  if (ASCII_LABEL.test(label)) return { ascii: label, unicode: label }
  const points = Array.from(label, (character) => character.codePointAt(0) ?? 0)
  if (points.length > LONGEST_LABEL || !points.some((point) => point > 127) || !isULabel(label)) return undefined
  const ascii = `xn--${encodePunycode(points)}`
  return ascii.length > LONGEST_LABEL ? undefined : { ascii, unicode: label }
}
