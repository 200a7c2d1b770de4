/**
 * How often an evaluation can come to the same place.
 *
 * In: a document with references. Out: whether it can go around at all, and whether the work can multiply: a hundred levels that each
 * refer twice to the next are 2^100 evaluations, and so is a recursion that can enter itself twice on one part of a value.
 * The answer is careful: "multiplies" may be said of a schema that does not, never the other way round.
 */
import { edgesOf, type Edge } from "./edges.js"
import type { SchemaDocument } from "./schema_document.js"
import type { SchemaNode } from "./schema_node.js"

/** What references can do to the work of an evaluation. */
export interface Growth {
  readonly isRecursive: boolean
  readonly multiplies: boolean
}

/** Ways to one node that are still few: a check is linear in them. */
const MAX_WAYS = 100_000

/** The growth of a document whose root is this node. */
export function growthOf(document: SchemaDocument, root: SchemaNode): Growth {
  const components = stronglyConnected(document, root)
  let isRecursive = false
  let multiplies = document.usesDynamicScope
  const ways = new Map<number, number>()
  // Components come in reverse topological order: the root's is the last.
  for (const component of [...components.list].reverse()) {
    const id = components.idOf(component.nodes[0]?.node)
    const own = ways.get(id) ?? 1
    if (own > MAX_WAYS) multiplies = true
    for (const { node, edges } of component.nodes) {
      const inside = edges.filter(({ to }) => components.idOf(to) === id)
      if (inside.length > 0) isRecursive = true
      if (canMeet(inside)) multiplies = true
      for (const { to } of edges) {
        const other = components.idOf(to)
        if (other !== id && !document.loops.has(node)) ways.set(other, Math.min((ways.get(other) ?? 0) + own, 2 * MAX_WAYS))
      }
    }
  }
  return { isRecursive, multiplies }
}

/** True when two of the edges can look at one part of a value. */
function canMeet(edges: readonly Edge[]): boolean {
  if (edges.length < 2) return false
  const parts = new Set(edges.map(({ part }) => part))
  if (parts.size < edges.length) return true
  return parts.has("same") || parts.has("any member") || parts.has("any item")
}

interface Component {
  readonly nodes: { node: SchemaNode; edges: Edge[] }[]
}

/** Tarjan's algorithm, with a stack of its own. */
function stronglyConnected(document: SchemaDocument, root: SchemaNode): { list: Component[]; idOf: (node: SchemaNode | undefined) => number } {
  interface Visit {
    readonly node: SchemaNode
    readonly edges: Edge[]
    readonly index: number
    low: number
    next: number
    component: number
  }
  const visits = new Map<SchemaNode, Visit>()
  const list: Component[] = []
  const open: Visit[] = []
  const path: Visit[] = []
  const enter = (node: SchemaNode) => {
    const edges = document.loops.has(node) ? edgesOf(document, node).filter(({ reference }) => reference === undefined) : edgesOf(document, node)
    const visit: Visit = { node, edges, index: visits.size, low: visits.size, next: 0, component: -1 }
    visits.set(node, visit)
    open.push(visit)
    path.push(visit)
  }
  enter(root)
  for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
    const edge = top.edges[top.next++]
    if (edge !== undefined) {
      const seen = visits.get(edge.to)
      if (seen === undefined) enter(edge.to)
      else if (seen.component < 0) top.low = Math.min(top.low, seen.index)
      continue
    }
    path.pop()
    const below = path.at(-1)
    if (below !== undefined) below.low = Math.min(below.low, top.low)
    if (top.low !== top.index) continue
    const nodes: Component["nodes"] = []
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      member.component = list.length
      nodes.push({ node: member.node, edges: member.edges })
      if (member === top) break
    }
    list.push({ nodes })
  }
  return { list, idOf: (node) => (node === undefined ? -1 : (visits.get(node)?.component ?? -1)) }
}
