import type { LibraryUnderTest, TypeBox } from "./roads.mjs"
import type { SuiteCase } from "./suite_cases.mjs"

export interface FuzzResult {
  readonly schemas: number
  readonly checks: number
  readonly last: number
  readonly disagreements: readonly Record<string, unknown>[]
}
export function differentialFuzz(options: {
  readonly library: LibraryUnderTest
  readonly typebox: TypeBox
  readonly cases: readonly SuiteCase[]
  readonly remotes: ReadonlyMap<string, unknown>
  readonly seed: number
  readonly maxChecks?: number
  /** A time of `performance.now()`. */
  readonly until?: number
}): FuzzResult
