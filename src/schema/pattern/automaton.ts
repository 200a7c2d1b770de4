/**
 * Turns the tree of a regular expression into the automaton whose paths are the ways that a backtracking engine tries.
 *
 * In: a tree. Out: one state for each place of the expression that reads a character, and from each state the steps to the
 * next, with how many ways lead there without reading (Glushkov's construction, counting). The number of paths over a text is
 * never below the number of ways the engine tries: a lookahead is a branch that ends dead, a reference is a copy of its
 * group, and a count too large to write out is a loop.
 */
import { alphabetOf, widePartOf, type Alphabet, type CharacterSet, type WidePart } from "./character_set.js"
import type { ParsedPattern, PatternNode } from "./parse_pattern.js"
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
  readonly next: readonly Step[]
  /** The steps of `next` that read the letter. */
  stepsOver(letter: number): readonly Step[]
}

/** The automaton of one expression. */
export interface Automaton {
  readonly alphabet: Alphabet
  readonly states: readonly State[]
  /** Steps that read the first character of the text. */
  begin(letter: number): readonly Step[]
  /** Steps that begin a match later in the text. */
  search(letter: number): readonly Step[]
  /** False where the expression is anchored, or its first attempt is sure to succeed: then there are no such steps. */
  readonly searches: boolean
  readonly assertions: ReadonlySet<"word" | "look" | "reference">
}

/** Thrown where an expression has more places, steps or empty ways than the analysis takes on. */
export class TooLarge extends Error {}

const MAX_STATES = 1_200
const MAX_STEPS = 40_000
const MAX_EMPTY_WAYS = 200
/** Counts up to the first are written out; when that gets too large, up to the next. */
const WRITTEN_OUT = [1_000, 64, 16, 4, 1]

/** The automaton of a tree. @throws TooLarge */
export function automatonOf(pattern: ParsedPattern): Automaton {
  for (const limit of WRITTEN_OUT) {
    try {
      // Writing out is worth a few hundred states; the last try has to do with whatever it takes.
      return build(pattern, limit, limit === 1 ? MAX_STATES : MAX_STATES / 2)
    } catch (error) {
      if (!(error instanceof TooLarge) || limit === 1) throw error
    }
  }
  throw new TooLarge()
}

interface DraftState {
  readonly set: CharacterSet
  readonly main: boolean
  readonly inexact: boolean
  readonly next: Map<number, number>
}

function build({ root, groups }: ParsedPattern, writtenOut: number, maxStates: number): Automaton {
  const drafts: DraftState[] = []
  const assertions = new Set<"word" | "look" | "reference">()
  const open: PatternNode[] = []
  let steps = 0
  let lookDepth = 0
  let inexactDepth = 0

  const whole = fragmentOf(root)
  const alphabet = alphabetOf(drafts.map((draft) => draft.set))
  const safe = new Set(whole.last.filter((exit) => exit.mode === "open").map((exit) => exit.state))
  const states = drafts.map(({ set, main, inexact, next }, id): State => {
    const steps = [...next].map(([to, times]) => ({ to, times }))
    const letters = alphabet.lettersOf[id] ?? []
    return { letters, wide: widePartOf(set), main, inexact, safe: safe.has(id), next: steps, stepsOver: byLetter(steps, alphabet) }
  })
  const begin = mergeEntries(whole.first.map((entry) => ({ ...entry, anchored: false })))
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
    switch (node.kind) {
      case "set":
        return stateFor(node.set)
      case "assert":
        if (node.what === "start") return { first: [], last: [], empty: Emptiness.START_ONLY }
        if (node.what === "end") return { first: [], last: [], empty: Emptiness.END_ONLY }
        assertions.add("word")
        return { first: [], last: [], empty: Emptiness.CONDITIONAL_ONLY }
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
    const state = drafts.push({ set, main: lookDepth === 0, inexact: inexactDepth > 0, next: new Map() }) - 1
    return {
      first: [{ state, times: 1, anchored: false }],
      last: [{ state, times: 1, mode: "open" }],
      empty: Emptiness.NONE,
    }
  }

  function concatenate(left: Fragment, readRight: () => Fragment): Fragment {
    const right = readRight()
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
    const rest: (() => Fragment)[] = []
    for (let i = 1; i < min; i++) rest.push(() => fragmentOf(body))
    if (max === Infinity) {
      rest.push(min === 0 ? () => optional(plus(fragmentOf(body))) : () => plus(fragmentOf(body)))
      return rest.reduce(concatenate, nothing())
    }
    if (min > 0) rest.push(() => fragmentOf(body))
    if (max > min) rest.push(() => optionalRounds(body, max - min))
    return rest.reduce(concatenate, nothing())
  }

  /** `x{0,3}` is `(x(x(x)?)?)?`: built from the inside, as a loop since a large count must not fill the call stack. */
  function optionalRounds(body: PatternNode, rounds: number): Fragment {
    let inner = optional(fragmentOf(body))
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
    const { first } = fragmentOf(body)
    lookDepth--
    return { first, last: [], empty: Emptiness.CONDITIONAL_ONLY }
  }

  function referenceFragment(bodies: readonly PatternNode[]): Fragment {
    assertions.add("reference")
    // A reference from inside its own group reads nothing.
    const copies = bodies.filter((body) => !open.includes(body))
    inexactDepth++
    const fragments = copies.map((body) => {
      open.push(body)
      const { first, last, empty } = fragmentOf(body)
      open.pop()
      return { first, last: last.map((exit) => ({ ...exit, mode: exit.mode === "open" ? ("conditional" as const) : exit.mode })), empty }
    })
    inexactDepth--
    return { ...choice(fragments), empty: Emptiness.CONDITIONAL_ONLY }
  }

  function connect(exits: readonly Exit[], entries: readonly Entry[]): void {
    for (const exit of exits) {
      if (exit.mode === "ended") continue
      const next = drafts[exit.state]?.next
      for (const entry of entries) {
        if (entry.anchored || next === undefined) continue
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

/** How many ways there are to walk through a node at most; Infinity with a loop. */
function waysThrough(node: PatternNode): number {
  switch (node.kind) {
    case "set":
    case "assert":
      return 1
    case "sequence":
      return node.items.reduce((ways, item) => ways * waysThrough(item), 1)
    case "choice":
      return node.items.reduce((ways, item) => ways + waysThrough(item), 0)
    case "repeat":
      return node.max === Infinity ? Infinity : (1 + waysThrough(node.body)) ** node.max
    case "look":
    case "reference":
      return Infinity
  }
}
