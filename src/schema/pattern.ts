/**
 * Reads a `pattern` that a stranger wrote: is it a regular expression, and may it run here.
 *
 * In: the source. Out: a check that never runs away, and its kind: `native` may stand as a TypeBox `pattern` (compiled without
 * flags), `unicode` needs the check given here, `bounded` is enforced on short strings only, `unenforced` not at all.
 * The kind comes from an analysis of the expression, never from trying it: what makes it slow need not be in any sample.
 */
import { isExponential, isLinear } from "./pattern/ambiguity.js"
import { automatonOf, TooLarge, type Automaton } from "./pattern/automaton.js"
import { staysUnder } from "./pattern/count_ways.js"
import { isFlagIndependent } from "./pattern/flag_independence.js"
import { parsePattern, UnknownSyntax } from "./pattern/parse_pattern.js"

/** Strings longer than this many characters are not checked against a `bounded` pattern. */
const BOUNDED_LENGTH = 2_000
/** Patterns longer than this many characters are not enforced. */
const MAX_SOURCE_LENGTH = 1_000
/** Steps that a `bounded` pattern may take on one string: some 20 ms, and enough for two loops over 2,000 characters. */
const BOUNDED_STEPS = 6_000_000
/** The engine takes a millisecond or two for each Unicode property in a pattern. */
const MAX_PROPERTIES = 16
const PROPERTY = /\\p\{/gi
/** TypeBox compiles no schema whose `pattern` holds one of these. */
const CONTROL_CHARACTER = /[\u0007-\u000d\u001b\u007f]/
const CACHE_SIZE = 1_000

/** What a pattern turned out to be; see the file's header for the kinds. `reason` says what is not enforced. */
export type PatternCheck =
  | { readonly kind: "invalid"; readonly reason: string }
  | {
      readonly kind: "native" | "unicode" | "bounded" | "unenforced"
      test(value: string): boolean
      readonly reason?: string | undefined
    }

const cache = new Map<string, PatternCheck>()

/** The check of one `pattern`. Found out once a source; the cache holds the 1,000 newest. */
export function readPattern(source: string): PatternCheck {
  const known = cache.get(source)
  if (known !== undefined) return known
  const found = classify(source)
  for (const oldest of cache.keys()) {
    if (cache.size < CACHE_SIZE) break
    cache.delete(oldest)
  }
  cache.set(source, found)
  return found
}

function classify(source: string): PatternCheck {
  if (source.length > MAX_SOURCE_LENGTH) return unenforced("it is longer than 1,000 characters")
  if ((source.match(PROPERTY)?.length ?? 0) > MAX_PROPERTIES) return unenforced("it names more than 16 Unicode properties")
  const unicode = compile(source, "u")
  const plain = compile(source, "")
  const expression = unicode ?? plain
  if (expression === undefined) return { kind: "invalid", reason: "the pattern is no regular expression" }
  try {
    const byUnits = plain && automatonOf(parsePattern(source, false))
    const independent = unicode !== undefined && byUnits !== undefined && isFlagIndependent(source, byUnits)
    const automaton = unicode === undefined || independent ? byUnits : undefined
    const native = independent && !CONTROL_CHARACTER.test(source)
    return judge(automaton ?? automatonOf(parsePattern(source, true)), native && plain ? plain : expression, native)
  } catch (error) {
    if (error instanceof TooLarge) return unenforced("it is too large to be known as harmless")
    if (error instanceof UnknownSyntax) return unenforced("its syntax is not known, so neither is what it costs")
    throw error
  }
}

function judge(automaton: Automaton, expression: RegExp, native: boolean): PatternCheck {
  if (isLinear(automaton)) {
    return { kind: native ? "native" : "unicode", test: (value) => matches(expression, value) }
  }
  if (isExponential(automaton)) return unenforced("matching it can take time exponential in the length of a string")
  return {
    kind: "bounded",
    test: (value) =>
      value.length > BOUNDED_LENGTH ||
      !staysUnder(BOUNDED_STEPS, automaton, value, expression.unicode) ||
      matches(expression, value),
    reason:
      "the pattern is enforced on strings of at most 2,000 characters, as far as few ways of matching have to be tried: " +
      "it can take time polynomial in the length of a string",
  }
}

function unenforced(why: string): PatternCheck {
  return { kind: "unenforced", test: () => true, reason: `the pattern is not enforced: ${why}` }
}

/** The engine gives up on strings of many megabytes with a RangeError: its stack of places to return to has a limit. */
function matches(expression: RegExp, value: string): boolean {
  try {
    return expression.test(value)
  } catch {
    return true
  }
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}
