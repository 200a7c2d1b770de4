/**
 * The format `uri-template` (RFC 6570, with its erratum that lets an apostrophe stand in a literal).
 *
 * In: a text. Out: true where it is a template of any level. Operators that the RFC reserves are let through, as its grammar does.
 * Expressions are read character by character: a regular expression would need a place on the engine's stack for every variable.
 */

/** What neither a literal nor an expression may hold: every character of an expression may stand in a literal too. */
const REFUSED =
  /[^!#-;=?-[\]_a-z{}~\u00a0-\ud7ff\ue000-\ufdcf\ufdf0-\uffef\u{10000}-\u{10fffd}]|%(?![0-9A-Fa-f]{2})/u
const OPERATORS = "+#./;?&=,!@|"
const NAME_CHARACTER = /[\w%]/
const LONGEST_PREFIX = 4

/** Literals and expressions in braces. */
export function isURITemplate(text: string): boolean {
  if (REFUSED.test(text)) return false
  let at = 0
  for (let open = text.indexOf("{"); open !== -1; open = text.indexOf("{", at)) {
    const end = endOfExpression(text, open)
    if (end === undefined || text.slice(at, open).includes("}")) return false
    at = end
  }
  return !text.includes("}", at)
}

/** The place behind the closing brace; undefined where the expression is none. */
function endOfExpression(text: string, open: number): number | undefined {
  let at = open + (OPERATORS.includes(text[open + 1] ?? " ") ? 2 : 1)
  let wantsName = true
  let modified = false
  for (; at < text.length; at++) {
    const character = text[at] ?? ""
    if (NAME_CHARACTER.test(character)) {
      if (modified) return undefined
      wantsName = false
      continue
    }
    // Nothing else may stand where a name, or its part behind a dot, has to begin.
    if (wantsName) return undefined
    if (character === "}") return at + 1
    wantsName = character === "," || (character === "." && !modified)
    if (character === ",") modified = false
    if (wantsName) continue
    const prefix = character === ":" ? prefixLength(text, at + 1) : 0
    if (modified || (character !== "*" && prefix === 0)) return undefined
    modified = true
    at += prefix
  }
  return undefined
}

/** The digits of a prefix modifier, from 1 to 9999; 0 where there are none, or too many. */
function prefixLength(text: string, at: number): number {
  const digits = /^[1-9]\d*/.exec(text.slice(at, at + LONGEST_PREFIX + 1))?.[0].length ?? 0
  return digits > LONGEST_PREFIX ? 0 : digits
}
