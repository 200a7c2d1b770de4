/**
 * Reads a `pattern` that a stranger wrote: is it a regular expression, and may it run here.
 *
 * In: the source. Out: a check that never runs away, and its kind: `native` may stand as a TypeBox `pattern` (compiled without
 * flags), `unicode` needs the check given here, `bounded` is enforced on short strings only, `unenforced` not at all.
 */

/** Strings longer than this many characters are not checked against a `bounded` pattern. */
export const BOUNDED_LENGTH = 2_000

/** Patterns longer than this many characters are not enforced. */
const MAX_SOURCE_LENGTH = 1_000

/** What a pattern turned out to be; see the file's header for the kinds. `reason` says what is not enforced. */
export type PatternCheck =
  | { readonly kind: "invalid"; readonly reason: string }
  | {
      readonly kind: "native" | "unicode" | "bounded" | "unenforced"
      test(value: string): boolean
      readonly reason?: string | undefined
    }

/** The check of one `pattern`, found out once a source. */
export function readPattern(source: string): PatternCheck {
  if (source.length > MAX_SOURCE_LENGTH) {
    return { kind: "unenforced", test: () => true, reason: "the pattern is longer than 1,000 characters" }
  }
  const unicode = compile(source, "u")
  const expression = unicode ?? compile(source, "")
  if (expression === undefined) return { kind: "invalid", reason: "the pattern is no regular expression" }
  const loops = source.match(/(?<!\\)(?:[*+]|\{\d+,\}|\{\d+(?:,\d+)?\})/g)?.length ?? 0
  const loopedGroup = /\)[*+{]/.test(source)
  if (loopedGroup && loops > 1) return { kind: "unenforced", test: () => true, reason: "matching may take exponential time" }
  if (loops > 1 || (loops === 1 && !source.startsWith("^")) || /\\[1-9k]/.test(source)) {
    return {
      kind: "bounded",
      test: (value) => value.length > BOUNDED_LENGTH || expression.test(value),
      reason: `matching takes polynomial time: enforced on strings of at most ${BOUNDED_LENGTH.toLocaleString("en")} characters`,
    }
  }
  const independent = unicode !== undefined && !/[^ -~]|\\[puDWSBb]|\.|\[\^/.test(source)
  return { kind: independent ? "native" : "unicode", test: (value) => expression.test(value) }
}

function compile(source: string, flags: string): RegExp | undefined {
  try {
    return new RegExp(source, flags)
  } catch {
    return undefined
  }
}
