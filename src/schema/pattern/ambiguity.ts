/**
 * Judges how the number of ways that a backtracking engine tries grows with the text.
 *
 * In: an automaton. Out: whether every text is tried in linear time, and whether some text takes exponential time.
 * A way that is tried in vain is a path of the automaton, so a bound on the paths that can be alive at once is a bound on the
 * work a character. The bound is found by walking all texts at once: telling apart every combination of living paths, or, where
 * those are too many, merging all that ended in the same letter. Exponential is a loop that can be walked in two ways over one
 * text (exponential degree of ambiguity: Weber and Seidl, On the degree of ambiguity of finite automata, 1991).
 */
import type { Automaton, State, Step } from "./automaton.js"

/** The most work a character that still counts as linear: a megabyte stays near a tenth of a second. */
const MAX_WORK_PER_CHARACTER = 100
/** Steps that the analysis itself may take, for each of its parts. */
const MAX_ANALYSIS_STEPS = 50_000
/** Most expressions have few combinations, and then telling them apart is the quicker way. */
const FIRST_TRY_STEPS = 20_000

/** What an analysis may still spend. */
interface Budget {
  steps: number
}

/** True where every text is matched in time linear in its length. False where not, and where it could not be shown. */
export function isLinear(automaton: Automaton): boolean {
  return (
    boundedByCombination(automaton, { steps: FIRST_TRY_STEPS }) ||
    boundedByLastLetter(automaton, { steps: MAX_ANALYSIS_STEPS }) ||
    boundedByCombination(automaton, { steps: MAX_ANALYSIS_STEPS })
  )
}

/** The paths alive after one character, by state. */
type Paths = ReadonlyMap<number, number>

/** Takes one step further; undefined where the work passes the bound. `budget` pays for it. */
function advance(automaton: Automaton, paths: Paths, letter: number, budget: Budget): Map<number, number> | undefined {
  const next = new Map<number, number>()
  const take = (ways: number, steps: readonly Step[]): void => {
    budget.steps -= steps.length + 1
    for (const { to, times } of steps) {
      // Of the places from which a match is sure, the engine stands on one at a time and never returns to it in vain.
      const most = automaton.states[to]?.safe === true ? 1 : Infinity
      next.set(to, Math.min((next.get(to) ?? 0) + ways * times, most))
    }
  }
  for (const [state, ways] of paths) take(ways, automaton.states[state]?.stepsOver(letter) ?? [])
  take(1, automaton.search(letter))
  let work = 0
  for (const [state, ways] of next) work += ways * workAt(automaton.states[state])
  return work > MAX_WORK_PER_CHARACTER ? undefined : next
}

/** A place costs its own test, and those of the places behind it that do not match. */
function workAt(state: State | undefined): number {
  return 1 + (state?.next.reduce((ways, { times }) => ways + times, 0) ?? 0) / 8
}

function begin(automaton: Automaton, letter: number): Map<number, number> {
  return new Map(automaton.begin(letter).map(({ to, times }) => [to, times]))
}

function lettersOf(automaton: Automaton): number[] {
  return Array.from({ length: automaton.alphabet.size }, (_, letter) => letter)
}

function boundedByLastLetter(automaton: Automaton, budget: Budget): boolean {
  const letters = lettersOf(automaton)
  const after = letters.map((letter) => begin(automaton, letter))
  const waiting = new Set(letters)
  for (const letter of waiting) {
    waiting.delete(letter)
    const paths = after[letter] ?? new Map<number, number>()
    for (const nextLetter of letters) {
      const next = advance(automaton, paths, nextLetter, budget)
      if (next === undefined || budget.steps < 0) return false
      const known = after[nextLetter]
      let grew = false
      for (const [state, ways] of next) {
        if (ways <= (known?.get(state) ?? 0)) continue
        known?.set(state, ways)
        grew = true
      }
      if (grew) waiting.add(nextLetter)
    }
  }
  return true
}

function boundedByCombination(automaton: Automaton, budget: Budget): boolean {
  const letters = lettersOf(automaton)
  const seen = new Map<string, Paths>()
  const waiting: Paths[] = []
  const meet = (paths: Paths): void => {
    const key = [...paths].sort(([a], [b]) => a - b).join()
    if (!seen.has(key)) waiting.push(paths)
    seen.set(key, paths)
  }
  for (const letter of letters) meet(begin(automaton, letter))
  for (let paths = waiting.pop(); paths !== undefined; paths = waiting.pop()) {
    for (const letter of letters) {
      const next = advance(automaton, paths, letter, budget)
      if (next === undefined || budget.steps < 0) return false
      meet(next)
    }
  }
  return true
}

/** True where some text can be tried in exponentially many ways, and where that could not be ruled out. */
export function isExponential({ states }: Automaton): boolean {
  const component = componentsOf(states)
  const inside = states.map(({ next, safe }, id) =>
    safe ? [] : next.filter(({ to }) => component[to] === component[id] && states[to]?.letters.length !== 0),
  )
  if (inside.some((steps) => steps.some(({ times }) => times > 1))) return true
  const seen = new Set<number>()
  const waiting: [number, number][] = []
  // Two walks from one place that part and come together again over the same letters.
  for (let id = 0; id < states.length; id++) if (parts(id, id)) return true
  for (let pair = waiting.pop(); pair !== undefined; pair = waiting.pop()) {
    if (parts(...pair) || seen.size > MAX_ANALYSIS_STEPS) return true
  }
  return false

  /** Follows both walks one letter on; true where they meet. */
  function parts(a: number, b: number): boolean {
    for (const { to: nextA } of inside[a] ?? []) {
      for (const { to: nextB } of inside[b] ?? []) {
        if (!shareLetter(states[nextA], states[nextB])) continue
        if (nextA === nextB && a !== b) return true
        const key = Math.min(nextA, nextB) * states.length + Math.max(nextA, nextB)
        if (nextA === nextB || seen.has(key)) continue
        seen.add(key)
        waiting.push([nextA, nextB])
      }
    }
    return false
  }
}

function shareLetter(a: State | undefined, b: State | undefined): boolean {
  return a?.letters.some((letter) => b?.letters.includes(letter)) === true
}

/** The strongly connected component of each state, safe states apart (Tarjan's algorithm). */
function componentsOf(states: readonly State[]): number[] {
  const index = new Map<number, number>()
  const low: number[] = []
  const component: number[] = states.map(() => -1)
  const stack: number[] = []
  const visit = (id: number): void => {
    index.set(id, index.size)
    low[id] = index.get(id) ?? 0
    stack.push(id)
    for (const { to } of states[id]?.next ?? []) {
      if (states[to]?.safe === true || component[to] !== -1) continue
      if (!index.has(to)) visit(to)
      low[id] = Math.min(low[id] ?? 0, low[to] ?? 0, index.get(to) ?? 0)
    }
    if (low[id] !== index.get(id)) return
    for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
      component[member] = id
      if (member === id) break
    }
  }
  states.forEach(({ safe }, id) => {
    if (!safe && !index.has(id)) visit(id)
  })
  return component
}
