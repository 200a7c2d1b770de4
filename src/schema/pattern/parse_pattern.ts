/**
 * Reads the source of a regular expression into a tree that the analysis can walk.
 *
 * In: a source that the engine has accepted, and whether it is read with the `u` flag. Out: its tree.
 * Judges no syntax: what the engine accepted is right, so this only has to find out what it means (ECMA-262, Annex B included
 * without the flag). What it does not know, such as syntax newer than it, it refuses with `UnknownSyntax`.
 */
import { complementOf, LAST_CODE_POINT, LAST_UNIT, LINE_ENDS, type CharacterSet } from "./character_set.js"
import { classEscape, readCharacterEscape, readClass, readLiteral, type Reader } from "./parse_class.js"

/** One node of a regular expression. `repeat.max` is Infinity where there is no limit; a lazy quantifier is no other node. */
export type PatternNode =
  | { readonly kind: "set"; readonly set: CharacterSet }
  | { readonly kind: "assert"; readonly what: "start" | "end" | "word" | "notWord" }
  | { readonly kind: "look"; readonly behind: boolean; readonly body: PatternNode }
  | { readonly kind: "reference"; readonly group: number | string }
  | { readonly kind: "sequence"; readonly items: readonly PatternNode[] }
  | { readonly kind: "choice"; readonly items: readonly PatternNode[] }
  | { readonly kind: "repeat"; readonly body: PatternNode; readonly min: number; readonly max: number }

/** A tree and its capturing groups, by number and by name; a name may belong to groups of several alternatives. */
export interface ParsedPattern {
  readonly root: PatternNode
  readonly groups: ReadonlyMap<number | string, readonly PatternNode[]>
}

/** Thrown for syntax that the engine knows and this parser does not. */
export class UnknownSyntax extends Error {}

const QUANTIFIER = /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})\??/

/** The tree of `source`. @throws UnknownSyntax */
export function parsePattern(source: string, unicode: boolean): ParsedPattern {
  const reader: Reader = { source, unicode, at: 0, last: unicode ? LAST_CODE_POINT : LAST_UNIT, asked: new Map() }
  const groups = new Map<number | string, PatternNode[]>()
  const { count: groupCount, named } = countGroups(source)
  let opened = 0
  const root = readChoice()
  if (reader.at < source.length) throw new UnknownSyntax()
  return { root, groups }

  function readChoice(): PatternNode {
    const items = [readSequence()]
    while (source[reader.at] === "|") {
      reader.at++
      items.push(readSequence())
    }
    const [only] = items
    return items.length === 1 && only !== undefined ? only : { kind: "choice", items }
  }

  function readSequence(): PatternNode {
    const items: PatternNode[] = []
    while (reader.at < source.length && source[reader.at] !== "|" && source[reader.at] !== ")") {
      items.push(readQuantified(readAtom()))
    }
    return { kind: "sequence", items }
  }

  function readQuantified(body: PatternNode): PatternNode {
    const found = QUANTIFIER.exec(source.slice(reader.at, reader.at + 1_000))
    if (found === null) return body
    reader.at += found[0].length
    const [text, low, comma, high] = found
    if (low !== undefined) {
      const min = Number(low)
      return { kind: "repeat", body, min, max: comma === undefined ? min : high ? Number(high) : Infinity }
    }
    return { kind: "repeat", body, min: text.startsWith("+") ? 1 : 0, max: text.startsWith("?") ? 1 : Infinity }
  }

  function readAtom(): PatternNode {
    const character = source[reader.at]
    if (character === "(") return readGroup()
    if (character === "[") return { kind: "set", set: readClass(reader) }
    if (character === "\\") return readEscape()
    reader.at++
    if (character === "^") return { kind: "assert", what: "start" }
    if (character === "$") return { kind: "assert", what: "end" }
    if (character === ".") return { kind: "set", set: complementOf(LINE_ENDS, reader.last) }
    reader.at--
    return single(readLiteral(reader))
  }

  function readGroup(): PatternNode {
    const head = /^\((?:\?(?:[:=!]|<[=!]|<([^>=!][^>]*)>))?/.exec(source.slice(reader.at, reader.at + 1_000))
    const opening = head?.[0] ?? "("
    if (opening === "(" && source[reader.at + 1] === "?") throw new UnknownSyntax()
    reader.at += opening.length
    const capturing = opening === "(" || head?.[1] !== undefined
    const index = capturing ? ++opened : 0
    const body = readChoice()
    reader.at++
    if (capturing) {
      groups.set(index, [body])
      if (head?.[1] !== undefined) groups.set(head[1], [...(groups.get(head[1]) ?? []), body])
    }
    const looks = /[=!]$/.test(opening)
    return looks ? { kind: "look", behind: opening.includes("<"), body } : body
  }

  function readEscape(): PatternNode {
    const rest = source.slice(reader.at, reader.at + 1_000)
    if (rest.startsWith("\\b") || rest.startsWith("\\B")) {
      reader.at += 2
      return { kind: "assert", what: rest.startsWith("\\b") ? "word" : "notWord" }
    }
    const number = /^\\([1-9]\d*)/.exec(rest)?.[1]
    if (number !== undefined && (unicode || Number(number) <= groupCount)) {
      reader.at += 1 + number.length
      return { kind: "reference", group: Number(number) }
    }
    const name = unicode || named ? /^\\k<([^>]*)>/.exec(rest)?.[1] : undefined
    if (name !== undefined) {
      reader.at += name.length + 4
      return { kind: "reference", group: name }
    }
    const set = classEscape(reader)
    return set === undefined ? single(readCharacterEscape(reader, false)) : { kind: "set", set }
  }
}

function single(character: number): PatternNode {
  return { kind: "set", set: [character, character] }
}

/** Whether `\2` is a reference and `\k` means something depends on groups that may stand further on. */
function countGroups(source: string): { count: number; named: boolean } {
  const bare = source.replace(/\\[^]/g, "").replace(/\[[^\]]*\]/g, "")
  const openings = bare.match(/\((?!\?)|\(\?<(?![=!])/g) ?? []
  return { count: openings.length, named: openings.some((opening) => opening.length > 1) }
}
