/**
 * References that come back to themselves on the same value.
 *
 * In: a document. Out: the nodes whose reference closes such a circle, one for each circle; without those references every
 * evaluation ends. A circle that goes one level deeper into the value on its way is ordinary recursion and none of these.
 * Walks with a stack of its own, since strangers write chains of any length.
 */
import { edgesInPlace, type Edge } from "./edges.js"
import type { SchemaDocument } from "./schema_document.js"
import type { SchemaNode } from "./schema_node.js"

/** The nodes whose reference must not be followed, with the keyword that refers. */
export function findLoops(document: SchemaDocument, nodes: Iterable<SchemaNode>): ReadonlyMap<SchemaNode, string> {
  const loops = new Map<SchemaNode, string>()
  const done = new Set<SchemaNode>()
  for (const start of nodes) if (!done.has(start)) walk(document, start, done, loops)
  return loops
}

function walk(document: SchemaDocument, start: SchemaNode, done: Set<SchemaNode>, loops: Map<SchemaNode, string>): void {
  const path: { node: SchemaNode; edges: Edge[]; next: number }[] = []
  const onPath = new Map<SchemaNode, number>()
  const enter = (node: SchemaNode) => {
    onPath.set(node, path.length)
    path.push({ node, edges: edgesInPlace(document, node), next: 0 })
  }
  enter(start)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const edge = top.edges[top.next++]
    if (edge === undefined) {
      path.pop()
      onPath.delete(top.node)
      done.add(top.node)
      continue
    }
    const from = onPath.get(edge.to)
    if (from === undefined) {
      if (!done.has(edge.to)) enter(edge.to)
      continue
    }
    // The last reference on the circle: every step of the path was an edge that was just taken.
    for (let index = path.length - 1; index >= from; index--) {
      const step = path[index]
      const reference = step?.edges[step.next - 1]?.reference
      if (step === undefined || reference === undefined) continue
      loops.set(step.node, reference)
      break
    }
  }
}
