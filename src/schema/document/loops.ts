/**
 * References that come back to themselves on the same value.
 *
 * In: a document. Out: the nodes whose reference closes such a circle, one for each circle; without those references every
 * evaluation ends. A circle that goes one level deeper into the value on its way is ordinary recursion and none of these.
 * Walks with a stack of its own, since strangers write chains of any length.
 */
import { isArray, isObject } from "../json_object.js"
import { hasKeyword, ignoresRefSiblings } from "./keywords.js"
import type { SchemaDocument } from "./schema_document.js"
import type { SchemaNode, Subschema } from "./schema_node.js"

interface Edge {
  readonly to: SchemaNode
  /** True when the edge is a reference, which can be given up; a subschema cannot. */
  readonly refers: boolean
}

/** The nodes whose reference must not be followed. */
export function findLoops(document: SchemaDocument, nodes: Iterable<SchemaNode>): ReadonlySet<SchemaNode> {
  const loops = new Set<SchemaNode>()
  const done = new Set<SchemaNode>()
  for (const start of nodes) if (!done.has(start)) walk(document, start, done, loops)
  return loops
}

function walk(document: SchemaDocument, start: SchemaNode, done: Set<SchemaNode>, loops: Set<SchemaNode>): void {
  const path: { node: SchemaNode; edges: Edge[]; next: number }[] = []
  const onPath = new Map<SchemaNode, number>()
  const enter = (node: SchemaNode) => {
    onPath.set(node, path.length)
    path.push({ node, edges: edgesOf(document, node), next: 0 })
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
      if (step?.edges[step.next - 1]?.refers !== true) continue
      loops.add(step.node)
      break
    }
  }
}

function edgesOf(document: SchemaDocument, node: SchemaNode): Edge[] {
  const { schema, resource } = node
  const edges: Edge[] = []
  const add = (to: Subschema | undefined, refers: boolean) => {
    if (typeof to === "object") edges.push({ to, refers })
  }
  if (typeof schema.$ref === "string") add(document.target(node), true)
  for (const keyword of ["$dynamicRef", "$recursiveRef"]) {
    const reference = schema[keyword]
    // Where the way decides what a dynamic reference leads to, only the evaluation can find that it never ends.
    if (typeof reference === "string" && hasKeyword(resource.dialect, keyword)) add(document.resolve(node, reference), true)
  }
  if (typeof schema.$ref === "string" && ignoresRefSiblings(resource.dialect)) return edges
  for (const keyword of ["allOf", "anyOf", "oneOf"]) {
    const list = schema[keyword]
    if (isArray(list)) list.forEach((_, index) => add(document.subschema(node, keyword, index), false))
  }
  for (const keyword of ["not", "if", "then", "else"]) {
    if (isObject(schema[keyword]) && hasKeyword(resource.dialect, keyword)) add(document.subschema(node, keyword), false)
  }
  for (const keyword of ["dependentSchemas", "dependencies"]) {
    const map = schema[keyword]
    if (!isObject(map)) continue
    for (const name of Object.keys(map)) if (isObject(map[name])) add(document.subschema(node, keyword, name), false)
  }
  return edges
}
