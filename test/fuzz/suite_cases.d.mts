export interface SuiteCase {
  readonly name: string
  readonly schema: unknown
  readonly dialect: "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12"
  readonly format: "annotate" | "assert"
  readonly content: "annotate" | "assert"
  readonly tests: readonly { readonly description: string; readonly data: unknown; readonly valid: boolean }[]
}
export function suiteCases(suite: string): SuiteCase[]
export function suiteRemotes(suite: string): Map<string, unknown>
