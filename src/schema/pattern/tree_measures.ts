/**
 * What can be said of a regular expression's tree before anything is built from it.
 *
 * In: a tree. Out: numbers. They tell the builder of the automaton how much it may write out, and what it should not begin.
 */
import type { PatternNode } from "./parse_pattern.js"

/** How deep quantifiers stand in each other, and the largest count, 1 at least. */
export function quantifiersOf(node: PatternNode): { nesting: number; largestCount: number } {
  if (node.kind === "repeat") {
    const { nesting, largestCount } = quantifiersOf(node.body)
    return { nesting: nesting + 1, largestCount: Math.max(largestCount, node.max === Infinity ? node.min : node.max) }
  }
  const parts = node.kind === "sequence" || node.kind === "choice" ? node.items : node.kind === "look" ? [node.body] : []
  const inner = parts.map(quantifiersOf)
  return {
    nesting: inner.reduce((most, part) => Math.max(most, part.nesting), 0),
    largestCount: inner.reduce((most, part) => Math.max(most, part.largestCount), 1),
  }
}

/** How many ways there are to walk through a node at most; Infinity with a loop. */
export function waysThrough(node: PatternNode): number {
  switch (node.kind) {
    case "set":
    case "assert":
      return 1
    case "sequence":
      return node.items.reduce((ways, item) => ways * waysThrough(item), 1)
    case "choice":
      return node.items.reduce((ways, item) => ways + waysThrough(item), 0)
    case "repeat":
      return node.max === Infinity ? Infinity : (1 + waysThrough(node.body)) ** node.max
    case "look":
    case "reference":
      return Infinity
  }
}
