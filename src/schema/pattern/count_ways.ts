/**
 * Counts the ways in which a backtracking engine can try an expression on one given text, before it does.
 *
 * In: an automaton and a text. Out: whether the ways stay under a limit. Takes time linear in the text, however many ways there
 * are: they are counted by state, not walked.
 */
import type { Automaton, Step } from "./automaton.js"

/** True where matching `text` takes at most `limit` steps. `unicode`: the text is read by code points. */
export function staysUnder(limit: number, automaton: Automaton, text: string, unicode: boolean): boolean {
  let alive = new Map<number, number>()
  let total = 0
  let counting = limit / 4
  for (let at = 0; at < text.length; at++) {
    const code = (unicode ? text.codePointAt(at) : undefined) ?? text.charCodeAt(at)
    const letter = automaton.alphabet.letterOf(code)
    const next = new Map<number, number>()
    const take = (ways: number, steps: readonly Step[]): void => {
      counting -= steps.length + 1
      for (const { to, times } of steps) next.set(to, (next.get(to) ?? 0) + ways * times)
    }
    take(1, at === 0 ? automaton.begin(letter) : automaton.search(letter))
    for (const [state, ways] of alive) take(ways, automaton.states[state]?.stepsOver(letter) ?? [])
    for (const [state, ways] of next) total += ways * (1 + (automaton.states[state]?.next.length ?? 0) / 4)
    if (total > limit || counting < 0) return false
    alive = next
    if (code > 0xffff) at++
  }
  return true
}
