/**
 * Counts the ways in which a backtracking engine can try an expression on one given text, before it does.
 *
 * In: an automaton and a text. Out: whether the ways stay under a limit. Takes time linear in the text, however many ways there
 * are: they are counted by state, not walked.
 */
import type { Automaton, Step } from "./automaton.js"

/** True where matching `text` takes at most `limit` steps. `unicode`: the text is read by code points. */
export function staysUnder(limit: number, automaton: Automaton, text: string, unicode: boolean): boolean {
  const { alphabet, begin, search, states } = automaton
  let alive = new Map<number, number>()
  let total = 0
  let counting = limit / 4
  const take = (into: Map<number, number>, ways: number, steps: readonly Step[], letter: number): void => {
    counting -= steps.length
    for (const { to, times } of steps) {
      if (states[to]?.letters.includes(letter) === true) into.set(to, (into.get(to) ?? 0) + ways * times)
    }
  }
  for (let at = 0; at < text.length; at++) {
    const code = (unicode ? text.codePointAt(at) : undefined) ?? text.charCodeAt(at)
    const letter = alphabet.letterOf(code)
    const next = new Map<number, number>()
    take(next, 1, at === 0 ? begin : search, letter)
    for (const [state, ways] of alive) take(next, ways, states[state]?.next ?? [], letter)
    for (const [state, ways] of next) total += ways * (1 + (states[state]?.next.length ?? 0) / 4)
    if (total > limit || counting < 0) return false
    alive = next
    if (code > 0xffff) at++
  }
  return true
}
