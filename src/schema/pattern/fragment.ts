/**
 * The arithmetic of one part of an automaton: how it is entered, how it is left, and how it is passed without reading.
 *
 * In and out: plain values, states as numbers. Knows no trees and no letters. The assertions `^` and `$` take effect here: an
 * entry behind `^` is possible at the start of the text only, an exit before `$` leads to no further character.
 */

/** A state that can read the first character of a part. `anchored`: only where the text starts. `boundary`: see `Emptiness`. */
export interface Entry {
  readonly state: number
  readonly times: number
  readonly anchored: boolean
  readonly boundary: number
}

/** A state that can read the last character of a part. `conditional`: an assertion still has to hold; `ended`: only where the text ends. */
export interface Exit {
  readonly state: number
  readonly times: number
  readonly mode: "open" | "conditional" | "ended"
  readonly boundary: number
}

/** A part of an automaton. */
export interface Fragment {
  readonly first: readonly Entry[]
  readonly last: readonly Exit[]
  readonly empty: Emptiness
}

/** In how many ways a part is passed without reading, by the assertions on the way. */
export class Emptiness {
  static readonly PLAIN = 0
  static readonly CONDITIONAL = 1
  static readonly START = 2
  static readonly END = 4
  /** `\b` and `\B`: whether they hold depends on the characters on both sides, so entries and exits carry them along. */
  static readonly WORD_BOUNDARY = 8
  static readonly NO_WORD_BOUNDARY = 16
  static readonly ANY_BOUNDARY = 24
  static readonly NONE = new Emptiness([])
  static readonly PLAIN_ONLY = new Emptiness([[Emptiness.PLAIN, 1]])
  static readonly WORD_ONLY = new Emptiness([[Emptiness.WORD_BOUNDARY, 1]])
  static readonly NOT_WORD_ONLY = new Emptiness([[Emptiness.NO_WORD_BOUNDARY, 1]])
  static readonly CONDITIONAL_ONLY = new Emptiness([[Emptiness.CONDITIONAL, 1]])
  static readonly START_ONLY = new Emptiness([[Emptiness.START, 1]])
  static readonly END_ONLY = new Emptiness([[Emptiness.END, 1]])

  readonly #ways: ReadonlyMap<number, number>

  private constructor(ways: Iterable<readonly [number, number]>) {
    const sums = new Map<number, number>()
    for (const [flags, count] of ways) sums.set(flags, Math.min((sums.get(flags) ?? 0) + count, 1e6))
    this.#ways = sums
  }

  get total(): number {
    return [...this.#ways.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Pairs of flags and count. */
  entries(): Iterable<readonly [number, number]> {
    return this.#ways
  }

  ways(flags: number): number {
    return this.#ways.get(flags) ?? 0
  }

  or(other: Emptiness): Emptiness {
    return new Emptiness([...this.#ways, ...other.#ways])
  }

  then(other: Emptiness): Emptiness {
    return new Emptiness([...this.#ways].flatMap(([a, n]) => [...other.#ways].map(([b, m]) => [a | b, n * m] as const)))
  }
}

/** The entries of a part that stands behind one that was passed without reading. */
export function entriesAfter(passed: Emptiness, entries: readonly Entry[]): Entry[] {
  const after = [...passed.entries()].flatMap(([flags, ways]) =>
    (flags & Emptiness.END) !== 0
      ? []
      : entries.map(({ state, times, anchored, boundary }) => ({
          state,
          times: times * ways,
          anchored: anchored || (flags & Emptiness.START) !== 0,
          boundary: boundary | (flags & Emptiness.ANY_BOUNDARY),
        })),
  )
  return after.length > entries.length ? mergeEntries(after) : after
}

/** The exits of a part that stands before one that was passed without reading. */
export function exitsBefore(exits: readonly Exit[], passed: Emptiness): Exit[] {
  const before = [...passed.entries()].flatMap(([flags, ways]) =>
    (flags & Emptiness.START) !== 0
      ? []
      : exits.map(({ state, times, mode, boundary }) => ({
          state,
          times: times * ways,
          mode: modeAfter(mode, flags),
          boundary: boundary | (flags & Emptiness.ANY_BOUNDARY),
        })),
  )
  return before.length > exits.length ? mergeExits(before) : before
}

function modeAfter(mode: Exit["mode"], flags: number): Exit["mode"] {
  if (mode === "ended" || (flags & Emptiness.END) !== 0) return "ended"
  return flags !== Emptiness.PLAIN ? "conditional" : mode
}

/** The same entries, those alike added up. */
export function mergeEntries(entries: readonly Entry[]): Entry[] {
  const merged = new Map<string, Entry>()
  for (const entry of entries) {
    const key = `${entry.state} ${entry.anchored} ${entry.boundary}`
    merged.set(key, { ...entry, times: clamped(entry.times + (merged.get(key)?.times ?? 0)) })
  }
  return [...merged.values()]
}

/** The same exits, those alike added up. */
function mergeExits(exits: readonly Exit[]): Exit[] {
  const merged = new Map<string, Exit>()
  for (const exit of exits) {
    const key = `${exit.state} ${exit.mode} ${exit.boundary}`
    merged.set(key, { ...exit, times: clamped(exit.times + (merged.get(key)?.times ?? 0)) })
  }
  return [...merged.values()]
}

function clamped(times: number): number {
  return Math.min(times, 1e6)
}
