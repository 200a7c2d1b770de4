/**
 * A JSON Schema document as a graph: its subschemas, and what each reference leads to.
 *
 * In: plain JSON (private to this document), a dialect, a map of remote schemas. Out: nodes, targets, and what references do to an
 * evaluation. Nothing is fetched: what neither the document, the map nor the bundled metaschemas hold cannot be resolved.
 */
import type { Dialect } from "../dialect.js"
import { isArray, isObject, type JSONObject } from "../json_object.js"
import type { FullLimits } from "../limits.js"
import { LossList } from "../loss.js"
import { plainText } from "../plain_source.js"
import { growthOf, type Growth } from "./growth.js"
import { hasKeyword } from "./keywords.js"
import { findLoops } from "./loops.js"
import { metaschemaOf } from "./metaschemas.js"
import { SchemaIndex, type DocumentOptions } from "./schema_index.js"
import { pointerOf, type SchemaNode, type SchemaResource, type Subschema } from "./schema_node.js"
import { DEFAULT_BASE, pointerToken, pointerTokens, resolveReference } from "./uri.js"

/** The graph of one document and of what it refers to. */
export class SchemaDocument {
  readonly root: Subschema
  /** True when some keyword refers by dynamic scope: then what a subschema means depends on the way to it. */
  readonly usesDynamicScope: boolean
  /** True when it can matter what a keyword has evaluated, also where it refuses nothing. */
  readonly usesUnevaluated: boolean
  /** True when a metaschema of its author's own says how part of the document is read. */
  readonly hasOwnMetaschema: boolean
  /** The nodes whose reference must not be followed, with its keyword: it comes back to itself on the same value. */
  readonly loops: ReadonlyMap<SchemaNode, string>
  /** What references can do to the work of an evaluation. */
  readonly growth: Growth
  /** The nodes that count as `true`: the way to them is longer than the limit. */
  readonly cuts = new Set<SchemaNode>()
  readonly limits: FullLimits
  readonly #options: DocumentOptions
  readonly #index: SchemaIndex
  readonly #dialect: Dialect | undefined
  readonly #targets = new Map<SchemaNode, Subschema>()
  readonly #referenceCounts = new Map<SchemaNode, number>()

  constructor(schema: unknown, options: DocumentOptions) {
    this.limits = options.limits
    this.#options = options
    this.#index = new SchemaIndex(options)
    this.root = this.#index.load(schema, DEFAULT_BASE, undefined, options.dialect)
    // A loaded schema without `$schema` is read as the document that refers to it.
    this.#dialect = typeof this.root === "boolean" ? options.dialect : this.root.resource.dialect
    this.#resolveAll()
    this.usesDynamicScope = this.#index.usesDynamicScope
    this.usesUnevaluated = this.#index.usesUnevaluated
    this.hasOwnMetaschema = this.#index.hasOwnMetaschema
    const refers = this.#index.referring.length > 0
    this.loops = refers ? findLoops(this, this.#index.nodes.values()) : new Map()
    for (const [node, keyword] of this.loops) {
      options.losses.add(`${pointerOf(node)}/${keyword}`, keyword, "comes back to itself without going deeper into the value")
    }
    this.growth = refers && typeof this.root === "object" ? growthOf(this, this.root) : { isRecursive: false, multiplies: false }
  }

  /** The subschema of a node under a keyword (and a name or index there). What is no schema counts as `true`. */
  subschema(parent: SchemaNode, keyword: string, key?: string | number): Subschema {
    const holder = parent.schema[keyword]
    const schema = key === undefined ? holder : isArray(holder) ? holder[Number(key)] : isObject(holder) ? holder[key] : undefined
    if (typeof schema === "boolean") return schema
    return this.#index.nodes.get(schema) ?? true
  }

  /** What the `$ref` of a node leads to; undefined when it leads nowhere. */
  target(node: SchemaNode): Subschema | undefined {
    return this.#targets.get(node)
  }

  /** How many `$ref` lead to a node. */
  referenceCount(node: SchemaNode): number {
    return this.#referenceCounts.get(node) ?? 0
  }

  /** What a reference of a node leads to; undefined when it leads nowhere. */
  resolve(node: SchemaNode, reference: string): Subschema | undefined {
    const target = resolveReference(reference, node.resource.uri)
    const resource = target === undefined ? undefined : this.#resource(target.uri)
    if (target === undefined || resource === undefined) return undefined
    if (typeof resource === "boolean") return target.fragment === "" ? resource : undefined
    if (target.fragment === "") return resource.root
    if (!target.fragment.startsWith("/")) return resource.anchors.get(target.fragment)
    return this.#follow(resource, target.fragment)
  }

  /** Everything below this node counts as unknown from now on: the way to it passes the limit. */
  cut(node: SchemaNode): void {
    this.cuts.add(node)
    this.#options.losses.add(pointerOf(node), "depth", `is reached through more than ${this.limits.depth} subschemas`)
  }

  /** The schemas that were loaded for a reference, with the URI they were loaded from. Metaschemas are everywhere and are left out. */
  loadedRoots(): { uri: string; schema: JSONObject }[] {
    const roots: { uri: string; schema: JSONObject }[] = []
    for (const [uri, { loadedFrom, root }] of this.#index.resources) {
      if (loadedFrom === uri && root !== undefined && root.parent === undefined && metaschemaOf(uri) === undefined) roots.push({ uri, schema: root.schema })
    }
    return roots
  }

  /** Every reference at once, before anything is made of the nodes: a loaded schema can bring dynamic scope into the document. */
  #resolveAll(): void {
    // Loading and following appends to the list while it is read.
    for (const node of this.#index.referring) {
      for (const keyword of ["$ref", "$dynamicRef", "$recursiveRef"]) {
        const reference = node.schema[keyword]
        if (typeof reference !== "string" || !hasKeyword(node.resource.dialect, keyword)) continue
        const target = this.resolve(node, reference)
        if (target === undefined) this.#options.losses.add(`${pointerOf(node)}/${keyword}`, keyword, `leads nowhere: ${clip(reference)} cannot be resolved, and nothing is fetched`)
        else if (keyword === "$ref") this.#setTarget(node, target)
      }
    }
  }

  #setTarget(node: SchemaNode, target: Subschema): void {
    this.#targets.set(node, target)
    if (typeof target === "object") this.#referenceCounts.set(target, this.referenceCount(target) + 1)
  }

  /** The resource of a URI: of this document, of the remotes, or a metaschema. */
  #resource(uri: string): SchemaResource | boolean | undefined {
    const known = this.#index.resources.get(uri)
    if (known !== undefined) return known
    const remote = this.#remote(uri)
    if (typeof remote === "boolean" || remote === undefined) return remote
    this.#index.load(remote, uri, uri, this.#dialect)
    return this.#index.resources.get(uri)
  }

  #remote(uri: string): unknown {
    const { remotes } = this.#options
    if (remotes === undefined) return metaschemaOf(uri)
    const given = remotes.get(uri) ?? remotes.get(`${uri}#`)
    if (given !== undefined) return plainCopy(given)
    for (const [key, schema] of remotes) if (resolveReference(key, DEFAULT_BASE)?.uri === uri) return plainCopy(schema)
    return metaschemaOf(uri)
  }

  #follow(resource: SchemaResource, pointer: string): Subschema | undefined {
    const tokens = pointerTokens(pointer)
    if (tokens === undefined || resource.root === undefined) return undefined
    let at: unknown = resource.root.schema
    let nearest = resource.root
    const rest: string[] = []
    for (const token of tokens) {
      if (isArray(at) ? !/^(?:0|[1-9]\d*)$/.test(token) : !isObject(at) || !Object.hasOwn(at, token)) return undefined
      at = isArray(at) ? at[Number(token)] : isObject(at) ? at[token] : undefined
      const node = this.#index.nodes.get(at)
      rest.push(token)
      if (node === undefined) continue
      nearest = node
      rest.length = 0
    }
    if (typeof at === "boolean") return at
    if (rest.length === 0) return nearest
    if (!isObject(at)) return undefined
    return this.#index.index(at, nearest.resource, { parent: nearest, keyword: rest.map(pointerToken).join("/"), key: undefined }) ?? true
  }
}

/** A copy, since the map's owner may change its schemas later. */
function plainCopy(schema: unknown): unknown {
  const text = plainText(schema, new LossList())
  const copy: unknown = text === undefined ? undefined : JSON.parse(text)
  return copy
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}
