/**
 * Which alternative of `anyOf` or `oneOf` a value is for.
 *
 * In: the alternatives and a value. Out: the one that it fits, else the one that it would fit if only something were added;
 * none where what was sent contradicts them all. A tag that no alternative knows so stays what it is.
 */
import type { Subschema } from "../document/schema_node.js"
import type { Kernel } from "../kernel/kernel.js"

/** The alternative that `value` is for. Where only one may match (`oneOf`), none is taken while two are possible. */
export function selectAlternative(kernel: Kernel, alternatives: readonly Subschema[], value: unknown, isOnlyOne: boolean): Subschema | undefined {
  const fitting = alternatives.filter((alternative) => kernel.fits(alternative, value))
  const possible = fitting.length > 0 ? fitting : alternatives.filter((alternative) => isOnlyIncomplete(kernel, alternative, value))
  return isOnlyOne && possible.length > 1 ? undefined : possible[0]
}

/** More issues than this are looked at for no alternative. */
const MAX_ISSUES = 100

function isOnlyIncomplete(kernel: Kernel, alternative: Subschema, value: unknown): boolean {
  const issues = kernel.issues(alternative, value, MAX_ISSUES)
  return issues.some(({ keyword }) => OF_MISSING.has(keyword)) && issues.every(({ keyword }) => OF_MISSING.has(keyword) || AROUND.has(keyword))
}

/** Issues that adding a member can mend. */
const OF_MISSING: ReadonlySet<string> = new Set(["required", "dependentRequired", "dependencies"])

/** Issues that say no more than those inside them. */
const AROUND: ReadonlySet<string> = new Set(["anyOf", "oneOf", "then", "else", "dependentSchemas"])
