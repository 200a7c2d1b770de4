/**
 * Shows that an expression means the same when the text is read by UTF-16 units and when it is read by code points.
 *
 * In: the source and its automaton over units. Out: true where both readings match the same texts; false where they may differ.
 * The readings differ on surrogates alone. If every run of them is eaten by one and the same place, which takes any of them and
 * repeats, then no boundary of a match can fall inside a pair, or it can be moved out of it: `^[^,]+$` is such, `^.$` is not.
 */
import type { Automaton } from "./automaton.js"

/** Escapes that the two readings take for different things, and literal characters outside the Basic Multilingual Plane. */
const READ_DIFFERENTLY = /\\[pPu]|[\ud800-\udfff]/

/** True where the source means the same with and without the `u` flag; both must accept it. */
export function isFlagIndependent(source: string, automaton: Automaton): boolean {
  if (READ_DIFFERENTLY.test(source)) return false
  const { states, assertions, searches } = automaton
  const wide = states.map((state, id) => ({ ...state, id })).filter((state) => state.wide !== "none")
  if (wide.length === 0) return true
  if (assertions.has("word") || assertions.has("reference")) return false
  // A lookaround must never be asked from inside a pair: it starts where only narrow characters were read before.
  if (assertions.has("look") && (searches || wide.some(({ main }) => main))) return false
  return wide.every(({ id, inexact, next, wide: part }) => {
    const wideNext = next.filter(({ to }) => states[to]?.wide !== "none")
    return part === "all" && !inexact && wideNext.length === 1 && wideNext[0]?.to === id
  })
}
