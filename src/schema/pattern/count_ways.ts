/**
 * Counts the ways in which a backtracking engine can try an expression on one given text, before it does.
 *
 * In: an automaton and a text. Out: whether the ways stay under a limit. However many ways there are, they are counted by state
 * and not walked, so the time is the length of the text times the states alive at once.
 */
import type { Automaton, Step } from "./automaton.js"

/** Steps that the counting itself may take: a few milliseconds. */
const MAX_COUNTING_STEPS = 500_000

/** True where matching `text` takes at most `limit` steps. `unicode`: the text is read by code points. */
export function staysUnder(limit: number, automaton: Automaton, text: string, unicode: boolean): boolean {
  const { alphabet, states } = automaton
  // By state: plain arrays of numbers, since this runs for every string that is checked.
  let ways = new Float64Array(states.length)
  let nextWays = new Float64Array(states.length)
  let alive: number[] = []
  let total = 0
  let counting = 0
  for (let at = 0; at < text.length; at++) {
    const code = (unicode ? text.codePointAt(at) : undefined) ?? text.charCodeAt(at)
    const letter = alphabet.letterOf(code)
    const nextAlive: number[] = []
    const take = (count: number, steps: readonly Step[]): void => {
      counting += steps.length + 1
      for (const { to, times } of steps) {
        const before = nextWays[to] ?? 0
        if (before === 0) nextAlive.push(to)
        nextWays[to] = before + count * times
      }
    }
    take(1, at === 0 ? automaton.begin(letter) : automaton.search(letter))
    for (const state of alive) {
      take(ways[state] ?? 0, states[state]?.stepsOver(letter) ?? [])
      ways[state] = 0
    }
    for (const state of nextAlive) total += (nextWays[state] ?? 0) * (1 + (states[state]?.next.length ?? 0) / 8)
    if (total > limit || counting > MAX_COUNTING_STEPS) return false
    alive = nextAlive
    ;[ways, nextWays] = [nextWays, ways]
    if (code > 0xffff) at++
  }
  return true
}
