/**
 * From cuts to what `meta.reduced` says, in bounded number: a hostile result must not come back as a list of its cuts.
 */
import type { Reduction } from "../envelope.js"
import type { Cut } from "./shrink.js"

const LISTED = 100

/** The first hundred cuts one by one, all further ones as a single entry with the path `""` and their sums. */
export function reductionsOf(cuts: readonly Cut[]): Reduction[] {
  const listed: Reduction[] = cuts.slice(0, LISTED).map((cut) => ({ by: "limit", ...cut }))
  const further = cuts.slice(LISTED)
  if (further.length === 0) return listed
  const rest: Reduction = { by: "limit", path: "", bytes: 0 }
  for (const cut of further) {
    for (const unit of ["bytes", "items", "characters"] as const) {
      const count = cut[unit]
      if (count !== undefined) rest[unit] = (rest[unit] ?? 0) + count
    }
  }
  return [...listed, rest]
}
