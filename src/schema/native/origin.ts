/**
 * Which subschema a native node was made of.
 *
 * In: a node that the converter made. Out: the subschema that it says the same as; undefined for the few nodes that stand for a
 * part of one (an alternative of several types, say). Lets a walk over native nodes ask the kernel, which remembers answers,
 * where compiled checks could multiply.
 */
import type { TSchema } from "@sinclair/typebox"
import type { SchemaNode } from "../document/schema_node.js"

const origins = new WeakMap<TSchema, SchemaNode>()

/** Notes what a node was made of. */
export function noteOrigin(schema: TSchema, node: SchemaNode): void {
  origins.set(schema, node)
}

/** The subschema of a node. */
export function originOf(schema: TSchema): SchemaNode | undefined {
  return origins.get(schema)
}
