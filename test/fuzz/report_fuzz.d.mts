import type { Value } from "@sinclair/typebox/value"
import type { collectErrors, compile, conform, ConformPolicy, FromSchema } from "../../src/schema.js"
import type { SuiteCase } from "./suite_cases.mjs"

export interface ReportCase extends Omit<SuiteCase, "dialect" | "asserted" | "values"> {
  readonly dialect?: SuiteCase["dialect"]
  readonly asserted?: boolean
  readonly values?: readonly unknown[]
  readonly isFitting?: (value: unknown) => boolean
}
export function reportFuzz(options: {
  readonly library: { readonly conform: typeof conform; readonly compile: typeof compile; readonly collectErrors: typeof collectErrors; readonly FromSchema: typeof FromSchema }
  readonly typebox: { readonly Value: typeof Value }
  readonly cases: readonly ReportCase[]
  readonly remotes?: ReadonlyMap<string, unknown>
  readonly seed: number
  readonly values: number
}): {
  counts: { invalid: number; fitting: number } & Record<ConformPolicy, number>
  broken: { seed: number; name: string; why: string; value: unknown }[]
}
