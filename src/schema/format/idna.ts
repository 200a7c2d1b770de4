/**
 * The rules for one internationalised label: which characters it may hold (RFC 5892), in what company, and in which
 * direction it is written (RFC 5893).
 *
 * In: labels as text. Out: true where they are allowed. The engine's own Unicode data decide, so a newer engine knows newer
 * characters; only what regular expressions cannot ask for stands in `unicode_tables.ts`. Unassigned characters are refused.
 */
import { LatePattern } from "./late_pattern.js"
import { isVirama, joinsNext, joinsPrevious } from "./unicode_tables.js"

/** RFC 5892, section 2.6: characters whose class is decided by hand. */
const ALLOWED_BY_HAND = /^[\u00df\u03c2\u06fd\u06fe\u0f0b\u3007]$/
const REFUSED_BY_HAND = /^[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b]$/
const LETTER_OR_DIGIT = new LatePattern(String.raw`^[\p{Ll}\p{Lu}\p{Lo}\p{Lm}\p{Mn}\p{Mc}\p{Nd}]$`)
const IGNORABLE = new LatePattern(String.raw`^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Noncharacter_Code_Point}]$`)
const IGNORABLE_BLOCK = /^[\u20d0-\u20ff\u{1d100}-\u{1d1ff}\u{1d200}-\u{1d24f}]$/u
const OLD_HANGUL_JAMO = /^[\u1100-\u11ff\ua960-\ua97c\ud7b0-\ud7c6\ud7cb-\ud7fb]$/
const CHEROKEE_CAPITAL = /^[\u13a0-\u13f5]$/
const CHEROKEE_SMALL = /^[\u13f8-\u13fd\uab70-\uabbf]$/
/** Case folding takes these to other letters, and lower case does not. */
const FOLDED_ELSEWHERE = /^[\u1c80-\u1c88]$/
const COMBINING_MARK = new LatePattern(String.raw`^\p{M}`)

const GREEK = new LatePattern(String.raw`^\p{Script=Greek}$`)
const HEBREW = new LatePattern(String.raw`^\p{Script=Hebrew}$`)
const KANA_OR_HAN = new LatePattern(String.raw`[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]`)
const NON_SPACING = new LatePattern(String.raw`^\p{Mn}$`)
const TRANSPARENT = new LatePattern(String.raw`^[\p{Mn}\p{Me}]$`)

const ARABIC_INDIC_DIGIT = /[\u0660-\u0669]/
const EXTENDED_ARABIC_INDIC_DIGIT = /[\u06f0-\u06f9]/

/** A label in Unicode, at least one of its characters beyond ASCII. */
export function isULabel(label: string): boolean {
  if (label.normalize("NFC") !== label || COMBINING_MARK.test(label)) return false
  if (label.startsWith("-") || label.endsWith("-") || label.slice(2, 4) === "--") return false
  const characters = Array.from(label)
  return characters.every((character, at) => contextAllows(characters, at) ?? isAllowed(character))
}

/** RFC 5892, section 3, without the characters that a context decides about. */
function isAllowed(character: string): boolean {
  if (ALLOWED_BY_HAND.test(character) || /^[a-z0-9-]$/.test(character)) return true
  if (REFUSED_BY_HAND.test(character) || OLD_HANGUL_JAMO.test(character) || !isStable(character)) return false
  return !IGNORABLE.test(character) && !IGNORABLE_BLOCK.test(character) && LETTER_OR_DIGIT.test(character)
}

/** Section 2.2: neither compatibility normalisation nor case folding changes it. */
function isStable(character: string): boolean {
  if (CHEROKEE_SMALL.test(character) || FOLDED_ELSEWHERE.test(character)) return false
  // A subscript iota folds to a letter of its own.
  if (character.normalize("NFKC") !== character || character.normalize("NFD").includes("\u0345")) return false
  return CHEROKEE_CAPITAL.test(character) || character.toLowerCase() === character
}

/** Appendix A: what the characters around one must be; undefined where no rule is made for it. */
function contextAllows(characters: readonly string[], at: number): boolean | undefined {
  const before = characters[at - 1] ?? ""
  const after = characters[at + 1] ?? ""
  const label = characters.join("")
  switch (characters[at]) {
    case "\u200c":
      return isVirama(before) || joinsAcross(characters, at)
    case "\u200d":
      return isVirama(before)
    case "\u00b7":
      return before === "l" && after === "l"
    case "\u0375":
      return GREEK.test(after)
    case "\u05f3":
    case "\u05f4":
      return HEBREW.test(before)
    case "\u30fb":
      return KANA_OR_HAN.test(label)
    default:
      return digitContextAllows(characters[at] ?? "", label)
  }
}

/** The two sets of Arabic digits look alike in part, so a label may hold one of them only. */
function digitContextAllows(character: string, label: string): boolean | undefined {
  if (ARABIC_INDIC_DIGIT.test(character)) return !EXTENDED_ARABIC_INDIC_DIGIT.test(label)
  if (EXTENDED_ARABIC_INDIC_DIGIT.test(character)) return !ARABIC_INDIC_DIGIT.test(label)
  return undefined
}

/** A zero-width non-joiner may part two letters that would be joined; marks between them do not count. */
function joinsAcross(characters: readonly string[], at: number): boolean {
  const isTransparent = (character: string | undefined): boolean => character !== undefined && TRANSPARENT.test(character)
  let left = at - 1
  while (isTransparent(characters[left])) left--
  let right = at + 1
  while (isTransparent(characters[right])) right++
  return joinsNext(characters[left]) && joinsPrevious(characters[right])
}

/** The blocks that Unicode keeps for scripts written from right to left. */
const RIGHT_TO_LEFT = "\\u0590-\\u08ff\\ufb1d-\\ufdff\\ufe70-\\ufeff\\u{10800}-\\u{10fff}\\u{1e800}-\\u{1efff}"
const EUROPEAN_NUMBER = /[0-9\u06f0-\u06f9]/
const ARABIC_NUMBER = /[\u0660-\u0669\u066b\u066c\u{10d30}-\u{10d39}\u{10e60}-\u{10e7e}]/u
const RIGHT_TO_LEFT_LETTER = new LatePattern(`(?=[${RIGHT_TO_LEFT}])[\\p{L}\\p{Nd}\\u05f3\\u05f4\\u06fd\\u06fe](?<!${EUROPEAN_NUMBER.source}|${ARABIC_NUMBER.source})`)
const NEUTRAL = new LatePattern(String.raw`^[-\u00b7\u0375\u30fb\u200c\u200d\p{Mn}]$`)

/** RFC 5893, section 2, for all labels of a name: it binds them all as soon as one of them is written from right to left. */
export function fitsBidiRule(labels: readonly string[]): boolean {
  if (!labels.some((label) => RIGHT_TO_LEFT_LETTER.test(label) || ARABIC_NUMBER.test(label))) return true
  return labels.every((label) => {
    const characters = Array.from(label)
    const first = directionOf(characters[0] ?? "")
    const directions = new Set(characters.map(directionOf))
    const last = directionOf(characters.findLast((character) => !NON_SPACING.test(character)) ?? "")
    if (first === "left") return !directions.has("right") && !directions.has("arabic number") && (last === "left" || last === "european number")
    if (first !== "right" || directions.has("left") || last === "neutral") return false
    return !(directions.has("european number") && directions.has("arabic number"))
  })
}

function directionOf(character: string): "left" | "right" | "european number" | "arabic number" | "neutral" {
  if (RIGHT_TO_LEFT_LETTER.test(character)) return "right"
  if (ARABIC_NUMBER.test(character)) return "arabic number"
  if (EUROPEAN_NUMBER.test(character)) return "european number"
  return NEUTRAL.test(character) ? "neutral" : "left"
}
