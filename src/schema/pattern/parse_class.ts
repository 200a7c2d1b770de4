/**
 * Reads the parts of a regular expression that stand for one character: escapes and classes.
 *
 * In: a reader standing on the part. Out: the set of characters it may match; the reader stands behind it.
 * Of a class with a Unicode property only the ASCII part is found out, by asking the engine; every other character counts as
 * matched. The analysis stays right with a set that is too large, and no tables of Unicode are needed.
 */
import { complementOf, DIGITS, unionOf, WHITE_SPACE, WORD_CHARACTERS, type CharacterSet } from "./character_set.js"

/** A place in a source, how the source is read, and the highest character there is in that reading. */
export interface Reader {
  readonly source: string
  readonly unicode: boolean
  readonly last: number
  /** What the engine said of the properties and classes of this source. */
  readonly asked: Map<string, CharacterSet>
  at: number
}

const CLASS_ESCAPES: Readonly<Record<string, CharacterSet>> = { d: DIGITS, w: WORD_CHARACTERS, s: WHITE_SPACE }
const CONTROL_ESCAPES: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 }

/** The set of `\d`, `\W`, `\p{..}` and their like; undefined, and nothing read, where another escape stands. */
export function classEscape(reader: Reader): CharacterSet | undefined {
  const letter = reader.source[reader.at + 1] ?? ""
  const set = Object.hasOwn(CLASS_ESCAPES, letter.toLowerCase()) ? CLASS_ESCAPES[letter.toLowerCase()] : undefined
  if (set !== undefined) {
    reader.at += 2
    return letter === letter.toLowerCase() ? set : complementOf(set, reader.last)
  }
  if (!reader.unicode || (letter !== "p" && letter !== "P")) return undefined
  const end = reader.source.indexOf("}", reader.at) + 1
  const property = reader.source.slice(reader.at, end)
  reader.at = end
  return askEngine(property, reader)
}

/** The set of the class that starts here with `[`. */
export function readClass(reader: Reader): CharacterSet {
  const start = reader.at
  reader.at++
  const negated = reader.source[reader.at] === "^"
  if (negated) reader.at++
  const parts: CharacterSet[] = []
  while (reader.source[reader.at] !== "]") {
    const low = readMember(reader)
    const ranges = reader.source[reader.at] === "-" && reader.source[reader.at + 1] !== "]"
    if (!ranges) {
      parts.push(low)
      continue
    }
    reader.at++
    const high = readMember(reader)
    // Without the u flag a class escape beside a hyphen makes the hyphen a member: [\w-z].
    const range = isSingle(low) && isSingle(high)
    parts.push(...(range ? [[low[0] ?? 0, high[0] ?? 0]] : [low, [0x2d, 0x2d], high]))
  }
  reader.at++
  const text = reader.source.slice(start, reader.at)
  if (reader.unicode && /\\p/i.test(text)) return askEngine(text, reader)
  const set = unionOf(parts)
  return negated ? complementOf(set, reader.last) : set
}

function isSingle(set: CharacterSet): boolean {
  return set.length === 2 && set[0] === set[1]
}

function readMember(reader: Reader): CharacterSet {
  const set = reader.source[reader.at] === "\\" ? classEscape(reader) : undefined
  if (set !== undefined) return set
  const character = reader.source[reader.at] === "\\" ? readCharacterEscape(reader, true) : readLiteral(reader)
  return [character, character]
}

/** One unescaped character: a code point with the `u` flag, a UTF-16 unit without. */
export function readLiteral(reader: Reader): number {
  const code = reader.unicode ? (reader.source.codePointAt(reader.at) ?? 0) : reader.source.charCodeAt(reader.at)
  reader.at += code > 0xffff ? 2 : 1
  return code
}

/** The character of the escape that starts here with `\`; inside a class, `\b` and a few control escapes mean more. */
export function readCharacterEscape(reader: Reader, inClass: boolean): number {
  const rest = reader.source.slice(reader.at, reader.at + 12)
  const letter = rest[1] ?? ""
  const take = (length: number, code: number): number => {
    reader.at += length
    return code
  }
  if (Object.hasOwn(CONTROL_ESCAPES, letter)) return take(2, CONTROL_ESCAPES[letter] ?? 0)
  if (inClass && letter === "b") return take(2, 8)
  const control = (inClass && !reader.unicode ? /^\\c([A-Za-z0-9_])/ : /^\\c([A-Za-z])/).exec(rest)?.[1]
  if (control !== undefined) return take(3, control.charCodeAt(0) % 32)
  // `\c` without its letter is the backslash itself; the c comes next as a character of its own.
  if (letter === "c") return take(1, 0x5c)
  const hex = /^\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4}))/.exec(rest)
  const braced = reader.unicode ? /^\\u\{([0-9a-fA-F]+)\}/.exec(reader.source.slice(reader.at, reader.at + 1_000)) : null
  if (braced !== null) return take(braced[0].length, parseInt(braced[1] ?? "", 16))
  if (hex !== null) return take(hex[0].length + pairedLength(reader, hex[0].length), codeOf(reader, hex))
  const octal = /^\\(?:[0-3][0-7]{0,2}|[4-7][0-7]?)/.exec(rest)?.[0]
  if (octal !== undefined) return take(octal.length, parseInt(octal.slice(1), 8))
  reader.at++
  return readLiteral(reader)
}

const LOW_SURROGATE = /^\\u([dD][c-fC-F][0-9a-fA-F]{2})/

function codeOf(reader: Reader, hex: RegExpExecArray): number {
  const code = parseInt(hex[1] ?? hex[2] ?? "", 16)
  const low = LOW_SURROGATE.exec(reader.source.slice(reader.at + hex[0].length))?.[1]
  const pairs = reader.unicode && low !== undefined && code >= 0xd800 && code <= 0xdbff
  return pairs ? 0x10000 + ((code - 0xd800) << 10) + (parseInt(low, 16) - 0xdc00) : code
}

/** With the `u` flag two escapes of a surrogate pair are one character. */
function pairedLength(reader: Reader, length: number): number {
  const first = reader.source.slice(reader.at, reader.at + length)
  const high = reader.unicode && /^\\u[dD][89abAB]/.test(first)
  return high && LOW_SURROGATE.test(reader.source.slice(reader.at + length)) ? 6 : 0
}

function askEngine(part: string, { asked, last }: Reader): CharacterSet {
  const known = asked.get(part)
  if (known !== undefined) return known
  const expression = new RegExp(part, "u")
  const ascii: number[] = []
  for (let code = 0; code < 128; code++) if (expression.test(String.fromCharCode(code))) ascii.push(code, code)
  const set = unionOf([ascii, [128, last]])
  asked.set(part, set)
  return set
}
