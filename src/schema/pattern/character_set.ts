/**
 * Sets of characters as sorted ranges, and the alphabet that a group of sets cuts the characters into.
 *
 * In: ranges of code points or UTF-16 units; the caller decides which. Out: their union and complement, and letter classes:
 * characters that no set tells apart are one letter, so that an analysis tries a dozen letters instead of a million characters.
 */

/** Pairs of first and last character, ascending, neither overlapping nor adjacent: `[97, 122]` is a to z. */
export type CharacterSet = readonly number[]

/** The highest UTF-16 unit. */
export const LAST_UNIT = 0xffff
/** The highest code point. */
export const LAST_CODE_POINT = 0x10ffff

/** What `\d` matches. */
export const DIGITS: CharacterSet = [0x30, 0x39]
/** What `\w` matches. */
export const WORD_CHARACTERS: CharacterSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
/** What `.` does not match. */
export const LINE_ENDS: CharacterSet = [0x0a, 0x0a, 0x0d, 0x0d, 0x2028, 0x2029]
/** What `\s` matches. */
export const WHITE_SPACE: CharacterSet = [
  0x09, 0x0d, 0x20, 0x20, 0xa0, 0xa0, 0x1680, 0x1680, 0x2000, 0x200a, 0x2028, 0x2029, 0x202f, 0x202f, 0x205f, 0x205f, 0x3000,
  0x3000, 0xfeff, 0xfeff,
]

/** The set of all characters that are in one of the sets. */
export function unionOf(sets: readonly CharacterSet[]): CharacterSet {
  const pairs: [number, number][] = []
  for (const set of sets) {
    for (let i = 0; i < set.length; i += 2) pairs.push([set[i] ?? 0, set[i + 1] ?? 0])
  }
  pairs.sort((a, b) => a[0] - b[0])
  const union: number[] = []
  for (const [first, last] of pairs) {
    const end = union.at(-1)
    if (end === undefined || first > end + 1) union.push(first, last)
    else if (last > end) union[union.length - 1] = last
  }
  return union
}

/** The characters from 0 to `highest` that are not in the set. */
export function complementOf(set: CharacterSet, highest: number): CharacterSet {
  const rest: number[] = []
  let next = 0
  for (let i = 0; i < set.length; i += 2) {
    const first = set[i] ?? 0
    if (first > next) rest.push(next, first - 1)
    next = (set[i + 1] ?? 0) + 1
  }
  if (next <= highest) rest.push(next, highest)
  return rest
}

/** True when the character is in the set. */
export function has(set: CharacterSet, character: number): boolean {
  for (let i = 0; i < set.length; i += 2) {
    if (character < (set[i] ?? 0)) return false
    if (character <= (set[i + 1] ?? 0)) return true
  }
  return false
}

/** The part of the characters where the two readings of a text differ: surrogates, and everything that takes two of them. */
export type WidePart = "none" | "some" | "all"

/** How much of that part is in a set of UTF-16 units. */
export function widePartOf(set: CharacterSet): WidePart {
  for (let i = 0; i < set.length; i += 2) {
    const first = set[i] ?? 0
    const last = set[i + 1] ?? 0
    if (first <= 0xd800 && last >= 0xdfff) return "all"
    if (first <= 0xdfff && last >= 0xd800) return "some"
  }
  return "none"
}

/** How one set lies to another: wholly inside it, wholly outside, or across its edge. */
export type Overlap = "inside" | "outside" | "across"

/** How `set` lies to `other`. */
export function overlapOf(set: CharacterSet, other: CharacterSet): Overlap {
  let inside = true
  let outside = true
  for (let i = 0; i < set.length; i += 2) {
    const first = set[i] ?? 0
    const last = set[i + 1] ?? 0
    let contained = false
    for (let k = 0; k < other.length; k += 2) {
      if ((other[k] ?? 0) <= last && (other[k + 1] ?? 0) >= first) outside = false
      if ((other[k] ?? 0) <= first && (other[k + 1] ?? 0) >= last) contained = true
    }
    inside &&= contained
  }
  return inside ? "inside" : outside ? "outside" : "across"
}

/** The letters that a group of sets tells apart. Letter 0 is every character that is in no set. */
export interface Alphabet {
  readonly size: number
  /** The letters of each set, in the order of the sets. */
  readonly lettersOf: readonly (readonly number[])[]
  letterOf(character: number): number
}

/** Cuts the characters into letters. */
export function alphabetOf(sets: readonly CharacterSet[]): Alphabet {
  const cuts = [...new Set(sets.flatMap((set) => set.map((edge, i) => (i % 2 === 0 ? edge : edge + 1))))].sort((a, b) => a - b)
  const members = cuts.map((): number[] => [])
  const indexOfCut = new Map(cuts.map((cut, i) => [cut, i]))
  sets.forEach((set, id) => {
    for (let i = 0; i < set.length; i += 2) {
      const end = indexOfCut.get((set[i + 1] ?? 0) + 1) ?? 0
      for (let at = indexOfCut.get(set[i] ?? 0) ?? 0; at < end; at++) members[at]?.push(id)
    }
  })
  const letters = new Map<string, number>([["", 0]])
  const lettersOf = sets.map(() => new Set<number>())
  const letterOfCut = members.map((ids) => {
    const key = ids.join()
    const letter = letters.get(key) ?? letters.size
    letters.set(key, letter)
    for (const id of ids) lettersOf[id]?.add(letter)
    return letter
  })
  return {
    size: letters.size,
    lettersOf: lettersOf.map((set) => [...set]),
    letterOf(character) {
      let low = 0
      let high = cuts.length
      while (low < high) {
        const middle = (low + high) >> 1
        if ((cuts[middle] ?? 0) <= character) low = middle + 1
        else high = middle
      }
      return letterOfCut[low - 1] ?? 0
    },
  }
}
