/**
 * What has to hold for one JSON Schema and one value under every policy, whatever Cast would do.
 *
 * In: the library under test, a converted schema, a value, and a second opinion where there is one. Out: what was broken, as a
 * sentence, or undefined. Data that claims to fit is checked on both roads of TypeBox and once more after it went through JSON.
 */
import { isDeepStrictEqual } from "node:util"
import { undoChanges } from "./undo_changes.mjs"

export const POLICIES = ["cast", "repair", "raw"]

const sorted = (issues) => issues.map((issue) => JSON.stringify(issue)).sort()

export function checkReport({ conform, compile, collectErrors }, { Value }, schema, value, isFitting = () => true) {
  const before = structuredClone(value)
  const fits = compile(schema)
  for (const policy of POLICIES) {
    let result
    try {
      result = conform(schema, value, policy)
    } catch (error) {
      return `${policy}: threw ${String(error)}`
    }
    const { data, conformance, issues, changes } = result
    const broken = (text) => `${policy}: ${text}: ${JSON.stringify({ conformance, data, changes })}`
    if (!isDeepStrictEqual(value, before)) return broken("the sent value was changed")
    if (fits(value) !== (conformance === "exact")) return broken("exact is not what the check says")
    if (conformance !== "cast" && data !== value) return broken("another reference where nothing was cast")
    if ((issues.length === 0) !== (conformance === "exact")) return broken("issues do not say whether it fits")
    if (conformance !== "exact" && !isDeepStrictEqual(sorted(issues), sorted(collectErrors(schema, value, { limit: Infinity })))) return broken("issues are not those of collectErrors")
    if (isDeepStrictEqual(data, value) !== (changes.length === 0)) return broken("changes do not say whether data differs")
    if (!isDeepStrictEqual(undoChanges(data, changes), value)) return broken("undoing the changes does not give back what was sent")
    if (policy === "raw" && conformance === "cast") return broken("raw was cast")
    if (policy === "repair" && !changes.every(({ kind, origin }) => kind === "added" && origin === "default")) return broken("repair did more than fill in")
    if (conformance === "invalid") continue
    const carried = JSON.parse(JSON.stringify(data))
    for (const [road, holds] of Object.entries({ compiled: fits(data), "Value.Check": Value.Check(schema, data), "after JSON": fits(carried), "second opinion": isFitting(carried) })) {
      if (!holds) return broken(`claims to fit and does not (${road})`)
    }
  }
  return undefined
}
