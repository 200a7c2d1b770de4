/**
 * Turns the tree of a regular expression into the automaton whose paths are the ways that a backtracking engine tries.
 *
 * In: a tree. Out: one state for each place of the expression that reads a character, and from each state the steps to the
 * next, with how many ways lead there without reading (Glushkov's construction, counting). The number of paths over a text is
 * never below the number of ways the engine tries: a lookahead is a branch that ends dead, a reference is a copy of its
 * group, and a count too large to write out is a loop.
 */
import {
  alphabetOf,
  overlapOf,
  widePartOf,
  WORD_CHARACTERS,
  type Alphabet,
  type CharacterSet,
  type Overlap,
  type WidePart,
} from "./character_set.js"
import type { ParsedPattern, PatternNode } from "./parse_pattern.js"
import { quantifiersOf, waysThrough } from "./tree_measures.js"
import { Emptiness, entriesAfter, exitsBefore, mergeEntries, type Entry, type Exit, type Fragment } from "./fragment.js"

/** A step to a state, and how many ways there are to take it. */
export interface Step {
  readonly to: number
  readonly times: number
}

/** One place of the expression that reads a character. */
export interface State {
  readonly letters: readonly number[]
  readonly wide: WidePart
  /** False for a place in a lookaround. */
  readonly main: boolean
  /** Stands for places of a large count that were not written out, or for a copy that a reference stands for. */
  readonly inexact: boolean
  /** The whole match is sure once this place is reached, so what the engine tries from here is not tried in vain. */
  readonly safe: boolean
  /** Equal for places that are followed by the same places, and where the expression or its lookaround can end in the same way. */
  readonly outcome: string
  readonly next: readonly Step[]
  /** The steps of `next` that read the letter. */
  readonly stepsOver: (letter: number) => readonly Step[]
}

/** The automaton of one expression. */
export interface Automaton {
  readonly alphabet: Alphabet
  readonly states: readonly State[]
  /** Steps that read the first character of the text. */
  readonly begin: (letter: number) => readonly Step[]
  /** Steps that begin a match later in the text. */
  readonly search: (letter: number) => readonly Step[]
  /** False where the expression is anchored, or its first attempt is sure to succeed: then there are no such steps. */
  readonly searches: boolean
  readonly assertions: ReadonlySet<"word" | "look" | "reference">
}

/** Thrown where an expression has more places, steps or empty ways than the analysis takes on. */
export class TooLarge extends Error {}

const MAX_STATES = 1_200
const MAX_STEPS = 10_000
/** Nodes visited and entries moved while building: a part that reads nothing costs time too. */
const MAX_WORK = 40_000
const MAX_EMPTY_WAYS = 200
/** Counts up to the first are written out; when that gets too large, up to the next. */
const WRITTEN_OUT = [1_000, 64, 16, 4, 1]
/** The engine compiles deeper nests of quantifiers in more than linear time. */
const MAX_NESTED_QUANTIFIERS = 30

/** The automaton of a tree. @throws TooLarge */
export function automatonOf(pattern: ParsedPattern): Automaton {
  const { nesting, largestCount } = quantifiersOf(pattern.root)
  if (nesting > MAX_NESTED_QUANTIFIERS) throw new TooLarge()
  // Of the limits that write everything out, one is enough.
  const limits = WRITTEN_OUT.filter((limit, i) => limit < largestCount || (WRITTEN_OUT[i + 1] ?? 0) < largestCount)
  for (const limit of limits.slice(0, -1)) {
    try {
      // Writing out is worth a few hundred states; the last try has to do with whatever it takes.
      return build(pattern, limit, MAX_STATES / 2)
    } catch (error) {
      if (!(error instanceof TooLarge)) throw error
    }
  }
  return build(pattern, limits.at(-1) ?? 1, MAX_STATES)
}

interface DraftState {
  readonly set: CharacterSet
  readonly main: boolean
  readonly inexact: boolean
  readonly exits: string[]
  /** Whether the set lies inside or outside the word characters. */
  readonly word: Overlap
  readonly next: Map<number, number>
}

function build({ root, groups }: ParsedPattern, writtenOut: number, maxStates: number): Automaton {
  const drafts: DraftState[] = []
  const assertions = new Set<"word" | "look" | "reference">()
  const open: PatternNode[] = []
  let steps = 0
  let work = 0
  let looks = 0
  let lookDepth = 0
  let inexactDepth = 0
  let copyDepth = 0

  const whole = fragmentOf(root)
  noteExits("", whole.last)
  const alphabet = alphabetOf(drafts.map((draft) => draft.set))
  const safe = new Set(whole.last.filter((exit) => exit.mode === "open").map((exit) => exit.state))
  const states = drafts.map(({ set, main, inexact, exits, next }, id): State => {
    const steps = [...next].map(([to, times]) => ({ to, times }))
    return {
      letters: alphabet.lettersOf[id] ?? [],
      wide: widePartOf(set),
      main,
      inexact,
      safe: safe.has(id),
      outcome: `${exits.sort().join()}>${[...next.keys()].sort((a, b) => a - b).join()}`,
      next: steps,
      stepsOver: byLetter(steps, alphabet),
    }
  })
  const begin = mergeEntries(whole.first.map((entry) => ({ ...entry, anchored: false, boundary: 0 })))
  const search = whole.empty.ways(Emptiness.PLAIN) > 0 ? [] : whole.first.filter((entry) => !entry.anchored)
  return {
    alphabet,
    states,
    begin: byLetter(begin.map(toStep), alphabet),
    search: byLetter(search.map(toStep), alphabet),
    searches: search.length > 0,
    assertions,
  }

  function fragmentOf(node: PatternNode): Fragment {
    spend(1)
    // What a reference repeats is the text alone, wherever it stands and whatever stands around it.
    if (copyDepth > 0 && (node.kind === "assert" || node.kind === "look")) return nothing()
    switch (node.kind) {
      case "set":
        return stateFor(node.set)
      case "assert":
        if (node.what === "start") return { first: [], last: [], empty: Emptiness.START_ONLY }
        if (node.what === "end") return { first: [], last: [], empty: Emptiness.END_ONLY }
        assertions.add("word")
        return { first: [], last: [], empty: node.what === "word" ? Emptiness.WORD_ONLY : Emptiness.NOT_WORD_ONLY }
      case "look":
        return lookFragment(node.behind, node.body)
      case "reference":
        return referenceFragment(groups.get(node.group) ?? [])
      case "sequence":
        return node.items.map((item) => () => fragmentOf(item)).reduce(concatenate, nothing())
      case "choice":
        return choice(node.items.map(fragmentOf))
      case "repeat":
        return repeatFragment(node.body, node.min, node.max)
    }
  }

  function stateFor(set: CharacterSet): Fragment {
    if (drafts.length >= maxStates) throw new TooLarge()
    const state = drafts.push({ set, main: lookDepth === 0, inexact: inexactDepth > 0, exits: [], word: overlapOf(set, WORD_CHARACTERS), next: new Map() }) - 1
    return {
      first: [{ state, times: 1, anchored: false, boundary: 0 }],
      last: [{ state, times: 1, mode: "open", boundary: 0 }],
      empty: Emptiness.NONE,
    }
  }

  function concatenate(left: Fragment, readRight: () => Fragment): Fragment {
    const right = readRight()
    spend(left.first.length + left.last.length + right.first.length + right.last.length)
    connect(left.last, right.first)
    return limited({
      first: [...left.first, ...entriesAfter(left.empty, right.first)],
      last: [...right.last, ...exitsBefore(left.last, right.empty)],
      empty: left.empty.then(right.empty),
    })
  }

  function choice(fragments: readonly Fragment[]): Fragment {
    return limited({
      first: fragments.flatMap(({ first }) => first),
      last: fragments.flatMap(({ last }) => last),
      empty: fragments.reduce((empty, fragment) => empty.or(fragment.empty), Emptiness.NONE),
    })
  }

  function repeatFragment(body: PatternNode, min: number, max: number): Fragment {
    if (max === 0) return nothing()
    if (max === Infinity ? min <= writtenOut : max <= writtenOut) return writtenRepeat(body, min, max)
    inexactDepth++
    const loop = plus(fragmentOf(body))
    inexactDepth--
    if (min === 0) return optional(loop)
    // One round is not known to be enough, so leaving the loop is no sure way to a match.
    return { ...loop, last: loop.last.map((exit) => (exit.mode === "open" ? { ...exit, mode: "conditional" } : exit)) }
  }

  function writtenRepeat(body: PatternNode, min: number, max: number): Fragment {
    const once = fragmentOf(body)
    // Rounds that read nothing are all the same round.
    if (once.first.length === 0 && once.last.length === 0) return min === 0 ? nothing() : once
    const rest: (() => Fragment)[] = []
    if (max === Infinity) {
      for (let i = 2; i < min; i++) rest.push(() => fragmentOf(body))
      if (min > 1) rest.push(() => plus(fragmentOf(body)))
      return min === 0 ? optional(plus(once)) : min === 1 ? plus(once) : rest.reduce(concatenate, once)
    }
    if (min === 0) return optionalRounds(body, max, once)
    for (let i = 1; i < min; i++) rest.push(() => fragmentOf(body))
    if (max > min) rest.push(() => optionalRounds(body, max - min, fragmentOf(body)))
    return rest.reduce(concatenate, once)
  }

  /** `x{0,3}` is `(x(x(x)?)?)?`: built from the inside, as a loop since a large count must not fill the call stack. */
  function optionalRounds(body: PatternNode, rounds: number, last: Fragment): Fragment {
    let inner = optional(last)
    for (let i = 1; i < rounds; i++) {
      const rest = inner
      inner = optional(concatenate(fragmentOf(body), () => rest))
    }
    return inner
  }

  function plus(body: Fragment): Fragment {
    connect(body.last, body.first)
    // A first round that reads nothing, and then one that does, is one more way to begin.
    const first = mergeEntries([...body.first, ...entriesAfter(body.empty, body.first)])
    return limited({ ...body, first })
  }

  /** The engine refuses an optional round that reads nothing, so leaving it out is the one empty way. */
  function optional(body: Fragment): Fragment {
    return { ...body, empty: Emptiness.PLAIN_ONLY }
  }

  function lookFragment(behind: boolean, body: PatternNode): Fragment {
    assertions.add("look")
    if (behind) {
      // It reads backwards, away from the paths that are counted here. What cannot try much is let through.
      if (waysThrough(body) > MAX_EMPTY_WAYS) throw new TooLarge()
      return { first: [], last: [], empty: Emptiness.CONDITIONAL_ONLY }
    }
    lookDepth++
    const { first, last } = fragmentOf(body)
    lookDepth--
    noteExits(`look ${looks++} `, last)
    return { first, last: [], empty: Emptiness.CONDITIONAL_ONLY }
  }

  function referenceFragment(bodies: readonly PatternNode[]): Fragment {
    assertions.add("reference")
    // A reference from inside its own group reads nothing.
    const copies = bodies.filter((body) => !open.includes(body))
    inexactDepth++
    copyDepth++
    const fragments = copies.map((body) => {
      open.push(body)
      const { first, last, empty } = fragmentOf(body)
      open.pop()
      return { first, last: last.map((exit) => ({ ...exit, mode: exit.mode === "open" ? ("conditional" as const) : exit.mode })), empty }
    })
    copyDepth--
    inexactDepth--
    return { ...choice(fragments), empty: Emptiness.CONDITIONAL_ONLY }
  }

  /** False where a word boundary is asked for between two characters that never have one between them, or the reverse. */
  function boundaryHolds(exit: Exit, entry: Entry): boolean {
    const asked = exit.boundary | entry.boundary
    const before = drafts[exit.state]?.word
    const after = drafts[entry.state]?.word
    if (asked === 0 || before === "across" || after === "across") return true
    return (asked & (before === after ? Emptiness.WORD_BOUNDARY : Emptiness.NO_WORD_BOUNDARY)) === 0
  }

  function noteExits(from: string, exits: readonly Exit[]): void {
    for (const { state, mode } of exits) drafts[state]?.exits.push(from + mode)
  }

  function spend(amount: number): void {
    work += amount
    if (work > MAX_WORK) throw new TooLarge()
  }

  function connect(exits: readonly Exit[], entries: readonly Entry[]): void {
    spend(exits.length * entries.length)
    for (const exit of exits) {
      if (exit.mode === "ended") continue
      const next = drafts[exit.state]?.next
      for (const entry of entries) {
        if (entry.anchored || next === undefined || !boundaryHolds(exit, entry)) continue
        if (++steps > MAX_STEPS) throw new TooLarge()
        next.set(entry.state, (next.get(entry.state) ?? 0) + exit.times * entry.times)
      }
    }
  }
}

function nothing(): Fragment {
  return { first: [], last: [], empty: Emptiness.PLAIN_ONLY }
}

function limited(fragment: Fragment): Fragment {
  if (fragment.empty.total > MAX_EMPTY_WAYS) throw new TooLarge()
  return fragment
}

/** Sorted when first asked: most states of a large expression never are. */
function byLetter(steps: readonly Step[], alphabet: Alphabet): (letter: number) => readonly Step[] {
  let sorted: Step[][] | undefined
  return (letter) => {
    sorted ??= sortSteps(steps, alphabet)
    return sorted[letter] ?? []
  }
}

function sortSteps(steps: readonly Step[], alphabet: Alphabet): Step[][] {
  const sorted: Step[][] = Array.from({ length: alphabet.size }, () => [])
  for (const step of steps) {
    for (const letter of alphabet.lettersOf[step.to] ?? []) sorted[letter]?.push(step)
  }
  return sorted
}

function toStep({ state, times }: Entry): Step {
  return { to: state, times }
}
