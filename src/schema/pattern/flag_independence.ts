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
  const reached = (steps: readonly Step[]): Outcomes => outcomesOf(steps.flatMap(({ to }) => states[to] ?? []))
  const again = (once: Outcomes): Outcomes => outcomesOf([...once.values()].flatMap((state) => [...reached(state.stepsOver(letter)).values()]))
  const searched = reached(search(letter))
  return (
    sameOutcome(searched, new Map([...searched, ...again(searched)])) &&
    [begin, ...states.map((state) => state.stepsOver)].every((stepsOver) => {
      const once = reached(stepsOver(letter))
      return sameOutcome(once, again(once))
    })
  )
}

/** Places by what comes after them: those that go on alike and end alike are as good as one. */
type Outcomes = ReadonlyMap<string, State>

function outcomesOf(states: readonly State[]): Outcomes {
  return new Map(states.map((state) => [state.outcome, state]))
}

/** Where the match is sure already, what a second reading leads to does not matter. */
function sameOutcome(once: Outcomes, twice: Outcomes): boolean {
  if ([...once.values()].some(({ safe }) => safe)) return true
  return once.size === twice.size && [...once.keys()].every((outcome) => twice.has(outcome))
}
