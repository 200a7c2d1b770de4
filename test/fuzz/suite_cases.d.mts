export interface SuiteCase {
  readonly name: string
  readonly schema: unknown
  readonly dialect: "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12"
  readonly asserted: boolean
  readonly values: readonly unknown[]
}
export function suiteCases(suite: string): SuiteCase[]
export function suiteRemotes(suite: string): Map<string, unknown>
