/**
 * One subschema with its place: what it stands in, and which rules it is read by.
 *
 * Shapes, and the pointer of a node. A boolean subschema has no place of its own and stays a boolean.
 */
import type { Dialect } from "../dialect.js"
import type { JSONObject } from "../json_object.js"
import { pointerToken } from "./uri.js"

/** A subschema that is an object. */
export interface SchemaNode {
  readonly schema: JSONObject
  readonly resource: SchemaResource
  readonly parent: SchemaNode | undefined
  /** The keyword it stands under, and the name or index there. */
  readonly keyword: string
  readonly key: string | number | undefined
  readonly depth: number
}

/** A schema with a URI of its own, and everything in it up to the next such schema. */
export interface SchemaResource {
  /** Absolute, without fragment. */
  readonly uri: string
  /** Undefined: read leniently, as every dialect at once. */
  readonly dialect: Dialect | undefined
  /** False where the metaschema leaves the validation vocabulary out. */
  readonly validates: boolean
  /** True where the metaschema asks for formats to be asserted. */
  readonly assertsFormat: boolean
  /** The URI it was loaded from; undefined for what stands in the document itself. */
  readonly loadedFrom: string | undefined
  readonly anchors: Map<string, SchemaNode>
  readonly dynamicAnchors: Map<string, SchemaNode>
  root: SchemaNode | undefined
}

/** A subschema: an object with its place, or a boolean. */
export type Subschema = SchemaNode | boolean

/** RFC 6901 pointer of a node from the root of its document; of a loaded document with its URI and `#` in front. */
export function pointerOf(node: SchemaNode): string {
  const steps: string[] = []
  let at: SchemaNode = node
  for (; at.parent !== undefined; at = at.parent) {
    steps.push(at.key === undefined ? `/${at.keyword}` : `/${at.keyword}/${pointerToken(at.key)}`)
  }
  const origin = at.resource.loadedFrom
  return `${origin === undefined ? "" : `${origin}#`}${steps.reverse().join("")}`
}
