/**
 * Shows that an expression means the same when the text is read by UTF-16 units and when it is read by code points.
 *
 * In: the source and its automaton over units. Out: true where both readings match the same texts; false where they may differ.
 * The readings differ on surrogates alone: a pair is two units and one code point. Where every place takes all of them or none,
 * they are one letter, and it is enough that reading that letter twice leads to the same as reading it once: so it does in
 * `^[^,]+$`, and not in `^.$`.
 */
import type { Automaton, State, Step } from "./automaton.js"

/** Escapes that the two readings take for different things, and literal characters outside the Basic Multilingual Plane. */
const READ_DIFFERENTLY = /\\[pPu]|[\ud800-\udfff]/
const A_SURROGATE = 0xd800

/** True where the source means the same with and without the `u` flag; both must accept it. */
export function isFlagIndependent(source: string, automaton: Automaton): boolean {
  if (READ_DIFFERENTLY.test(source)) return false
  const { alphabet, assertions, begin, search, searches, states } = automaton
  const wide = states.filter((state) => state.wide !== "none")
  if (wide.length === 0) return true
  if (wide.some((state) => state.wide === "some" || (state.inexact && !state.safe))) return false
  // What looks around itself must never stand inside a pair: only narrow characters may be read before it.
  if (assertions.has("word") || assertions.has("reference")) return false
  if (assertions.has("look") && (searches || wide.some(({ main }) => main))) return false

  const letter = alphabet.letterOf(A_SURROGATE)
  const statesAt = (steps: readonly Step[]): State[] => steps.flatMap(({ to }) => states[to] ?? [])
  const again = (read: readonly State[]): State[] => read.flatMap((state) => statesAt(state.stepsOver(letter)))
  const searched = statesAt(search(letter))
  return (
    sameOutcome(searched, [...searched, ...again(searched)]) &&
    [begin, ...states.map((state) => state.stepsOver)].every((stepsOver) => {
      const once = statesAt(stepsOver(letter))
      return sameOutcome(once, again(once))
    })
  )
}

/** Places that go on alike and end alike are as good as one. A place where the match is sure needs no comparing. */
function sameOutcome(once: readonly State[], twice: readonly State[]): boolean {
  if (once.some(({ safe }) => safe)) return true
  const outcomes = (read: readonly State[]): string =>
    [...new Set(read.map(({ exits, next }) => `${exits}>${next.map(({ to }) => to).sort((a, b) => a - b).join()}`))].sort().join(";")
  return outcomes(once) === outcomes(twice)
}
