/**
 * What a node says of a value whatever its members or items are.
 *
 * In: an object, record, array or tuple node. Out: the same node with every part open, or undefined where nothing is left to
 * say but that the value is a list. Kept for each node.
 */
import { Kind, Type, type TSchema } from "@sinclair/typebox"
import { isContainer } from "./member.js"

const alones = new WeakMap<TSchema, TSchema>()

/** The node without what it says of the parts. */
export function nodeAlone(node: TSchema): TSchema | undefined {
  if (node[Kind] === "Array" && OF_LISTS.every((keyword) => node[keyword] === undefined)) return undefined
  let alone = alones.get(node)
  if (alone === undefined) alones.set(node, (alone = makeAlone(node)))
  return alone
}

const OF_LISTS = ["minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"]

function makeAlone(node: TSchema): TSchema {
  const { $id: _, ...alone }: TSchema & { $id?: unknown } = node
  const opened = (held: unknown): Record<string, TSchema> =>
    Object.fromEntries(Object.keys(isContainer(held) ? held : {}).map((key) => [key, Type.Unknown()]))
  if (node[Kind] === "Array") alone["items"] = Type.Unknown()
  if (node[Kind] === "Tuple" && Array.isArray(node["items"])) alone["items"] = node["items"].map(() => Type.Unknown())
  if (node[Kind] === "Object") alone["properties"] = opened(node["properties"])
  if (node[Kind] === "Record") alone["patternProperties"] = opened(node["patternProperties"])
  if (typeof node["additionalProperties"] === "object") delete alone["additionalProperties"]
  return alone
}
