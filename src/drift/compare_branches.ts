/**
 * Alternatives and conjunctions: `anyOf`, `oneOf`, `allOf`.
 *
 * In: a pair of nodes. Out: findings. Branches that are equal on both sides are taken out first; what is left over on one side was
 * added or removed, what is left over on both is compared in order.
 */
import { canonicalJSON } from "./canonical_json.js"
import { pointerTo, withoutAnnotations } from "./plain_schema.js"
import type { Comparison, Pair } from "./schema_difference.js"

/** Compares the branches of a node. */
export function compareBranches(comparison: Comparison, { before, after, pointer }: Pair): void {
  for (const keyword of ["anyOf", "oneOf", "allOf"]) {
    const [one, other] = [before[keyword], after[keyword]]
    if (!Array.isArray(one) || !Array.isArray(other)) continue
    const at = pointerTo(pointer, keyword)
    const { gone, added, kept } = matched(one, other)
    // Equal words, but a reference in them may lead to something else than it did.
    for (const [was, is] of kept) comparison.compare(was.schema, is.schema, pointerTo(at, is.index))
    const isConjunction = keyword === "allOf"
    for (let index = 0; index < Math.max(gone.length, added.length); index++) {
      if (index >= gone.length) comparison.add(at, isConjunction ? "narrowed" : "widened", "got a branch")
      else if (index >= added.length) comparison.add(at, isConjunction ? "widened" : "narrowed", "lost a branch")
      else comparison.compare(gone[index]?.schema, added[index]?.schema, pointerTo(at, added[index]?.index ?? index))
    }
  }
}

interface Branch {
  readonly index: number
  readonly schema: unknown
  readonly text: string
}

interface Matched {
  readonly gone: Branch[]
  readonly added: Branch[]
  readonly kept: [was: Branch, is: Branch][]
}

function matched(before: readonly unknown[], after: readonly unknown[]): Matched {
  const branches = (list: readonly unknown[]) => list.map((schema, index) => ({ index, schema, text: canonicalJSON(withoutAnnotations(schema)) }))
  const gone = branches(before)
  const added: Branch[] = []
  const kept: [Branch, Branch][] = []
  for (const branch of branches(after)) {
    const was = gone.find(({ text }) => text === branch.text)
    if (was === undefined) added.push(branch)
    else {
      kept.push([was, branch])
      gone.splice(gone.indexOf(was), 1)
    }
  }
  return { gone, added, kept }
}
