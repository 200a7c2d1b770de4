/**
 * A JSON Schema document as a graph: every subschema by its place, every identifier and anchor by its name.
 *
 * In: plain JSON (private to this document), a dialect, a map of remote schemas. Out: nodes, and what a reference leads to.
 * Nothing is fetched: what neither the document, the map nor the bundled metaschemas hold cannot be resolved. Subschemas under
 * keywords that no dialect knows are read when a reference leads to them, not before: an `$id` there is no identifier.
 */
import { dialectOfURI, type Dialect } from "../dialect.js"
import { isArray, isObject, type JSONObject } from "../json_object.js"
import type { FullLimits } from "../limits.js"
import type { LossList } from "../loss.js"
import { hasKeyword, ignoresRefSiblings, SUBSCHEMAS } from "./keywords.js"
import { growthOf, type Growth } from "./growth.js"
import { findLoops } from "./loops.js"
import { metaschemaOf } from "./metaschemas.js"
import { pointerOf, type SchemaNode, type SchemaResource, type Subschema } from "./schema_node.js"
import { whyIgnored, whyPatternIgnored } from "./survey.js"
import { DEFAULT_BASE, pointerToken, pointerTokens, resolveReference, withoutFragment } from "./uri.js"

/** What a document is read with. */
export interface DocumentOptions {
  readonly dialect: Dialect | undefined
  readonly remotes: ReadonlyMap<string, unknown> | undefined
  readonly limits: FullLimits
  readonly losses: LossList
}

type Rules = Pick<SchemaResource, "dialect" | "validates" | "assertsFormat">

/** The graph of one document and of what it refers to. */
export class SchemaDocument {
  readonly root: Subschema
  /** True when some keyword refers by dynamic scope: then what a subschema means depends on the way to it. */
  usesDynamicScope = false
  /** True when it can matter what a keyword has evaluated, also where it refuses nothing. */
  usesUnevaluated = false
  /** True when a metaschema of its author's own says how part of the document is read. */
  hasOwnMetaschema = false
  /** The nodes that count as `true`: the way to them is longer than the limit. */
  readonly cuts = new Set<SchemaNode>()
  /** The nodes whose reference must not be followed: it comes back to itself on the same value. */
  readonly loops: ReadonlyMap<SchemaNode, string>
  /** What references can do to the work of an evaluation. */
  readonly growth: Growth
  readonly limits: FullLimits
  readonly losses: LossList
  readonly #nodes = new Map<unknown, SchemaNode>()
  readonly #resources = new Map<string, SchemaResource>()
  readonly #remotes: ReadonlyMap<string, unknown> | undefined
  readonly #referring: SchemaNode[] = []
  readonly #targets = new Map<SchemaNode, Subschema>()
  readonly #referenceCounts = new Map<SchemaNode, number>()
  #dialect: Dialect | undefined

  constructor(schema: unknown, options: DocumentOptions) {
    this.limits = options.limits
    this.losses = options.losses
    this.#remotes = options.remotes
    this.#dialect = options.dialect
    this.root = this.#load(schema, DEFAULT_BASE, undefined)
    // A loaded schema without `$schema` is read as the document that refers to it.
    this.#dialect = typeof this.root === "boolean" ? this.#dialect : this.root.resource.dialect
    this.#resolveAll()
    const refers = this.#referring.length > 0 || this.usesDynamicScope
    this.loops = refers ? findLoops(this, this.#nodes.values()) : new Map()
    for (const [node, keyword] of this.loops) {
      this.losses.add(`${pointerOf(node)}/${keyword}`, keyword, "comes back to itself without going deeper into the value")
    }
    this.growth = refers && typeof this.root === "object" ? growthOf(this, this.root) : { isRecursive: false, multiplies: false }
  }

  /** The nodes with a `$ref`, in the order they were found. */
  get referring(): readonly SchemaNode[] {
    return this.#referring
  }

  /** The schemas that were loaded for a reference, with the URI they were loaded from. Metaschemas are everywhere and are left out. */
  loadedRoots(): { uri: string; schema: JSONObject }[] {
    const roots: { uri: string; schema: JSONObject }[] = []
    for (const [uri, { loadedFrom, root }] of this.#resources) {
      if (loadedFrom === uri && root?.parent === undefined && root !== undefined && metaschemaOf(uri) === undefined) roots.push({ uri, schema: root.schema })
    }
    return roots
  }

  /** How many `$ref` lead to a node. */
  referenceCount(node: SchemaNode): number {
    return this.#referenceCounts.get(node) ?? 0
  }

  /** Everything below this node counts as unknown from now on: the way to it passes the limit. */
  cut(node: SchemaNode): void {
    this.cuts.add(node)
    this.losses.add(pointerOf(node), "depth", `is reached through more than ${this.limits.depth} subschemas`)
  }

  /** What the `$ref` of a node leads to; undefined when it leads nowhere. */
  target(node: SchemaNode): Subschema | undefined {
    return this.#targets.get(node)
  }

  /** The subschema of a node under a keyword (and a name or index there). What is no schema counts as `true`. */
  subschema(parent: SchemaNode, keyword: string, key?: string | number): Subschema {
    const holder = parent.schema[keyword]
    const schema = key === undefined ? holder : isArray(holder) ? holder[Number(key)] : isObject(holder) ? holder[key] : undefined
    if (typeof schema === "boolean") return schema
    return this.#nodes.get(schema) ?? true
  }

  /** What a reference of a node leads to; undefined when it leads nowhere. */
  resolve(node: SchemaNode, reference: string): Subschema | undefined {
    const target = resolveReference(reference, node.resource.uri)
    if (target === undefined) return undefined
    const resource = this.resource(target.uri)
    if (resource === undefined) return undefined
    if (target.fragment === "") return resource.root
    if (!target.fragment.startsWith("/")) return resource.anchors.get(target.fragment)
    return this.#follow(resource, target.fragment)
  }

  /** Every `$ref` at once, before anything is made of the nodes: a loaded schema can bring dynamic scope into the document. */
  #resolveAll(): void {
    // Loading and following appends to the list while it is read.
    for (const node of this.#referring) {
      const reference = String(node.schema.$ref)
      const target = this.resolve(node, reference)
      if (target === undefined) this.losses.add(`${pointerOf(node)}/$ref`, "$ref", `leads nowhere: ${clip(reference)} cannot be resolved, and nothing is fetched`)
      else {
        this.#targets.set(node, target)
        if (typeof target === "object") this.#referenceCounts.set(target, this.referenceCount(target) + 1)
      }
    }
  }

  /** The resource of a URI: of this document, of the remotes, or a metaschema. */
  resource(uri: string): SchemaResource | undefined {
    const known = this.#resources.get(uri)
    if (known !== undefined) return known
    const remote = this.#remote(uri)
    if (remote === undefined) return undefined
    this.#load(remote, uri, uri)
    return this.#resources.get(uri)
  }

  #remote(uri: string): unknown {
    if (this.#remotes !== undefined) {
      const given = this.#remotes.get(uri) ?? this.#remotes.get(`${uri}#`)
      // A copy: the map's owner may change its schemas later.
      if (given !== undefined) return plainCopy(given)
      for (const [key, schema] of this.#remotes) {
        if (resolveReference(key, DEFAULT_BASE)?.uri === uri) return plainCopy(schema)
      }
    }
    return metaschemaOf(uri)
  }

  #load(schema: unknown, uri: string, loadedFrom: string | undefined): Subschema {
    if (typeof schema === "boolean") return schema
    if (!isObject(schema)) {
      this.losses.add(loadedFrom === undefined ? "" : `${loadedFrom}#`, "", "is no schema: neither an object nor a boolean")
      return true
    }
    const rules = this.#rulesOf(schema, { dialect: this.#dialect, validates: true, assertsFormat: false }, "")
    const resource = newResource(uri, rules, loadedFrom)
    this.#resources.set(uri, resource)
    return this.#index(schema, resource, undefined, "", undefined, 0) ?? true
  }

  #index(
    schema: JSONObject,
    outer: SchemaResource,
    parent: SchemaNode | undefined,
    keyword: string,
    key: string | number | undefined,
    depth: number,
  ): SchemaNode | undefined {
    if (depth > this.limits.depth || this.#nodes.size >= this.limits.nodes) {
      this.#noteLimit(outer, parent, keyword, key, depth > this.limits.depth ? "depth" : "nodes")
      return undefined
    }
    const resource = this.#resourceOf(schema, outer, parent === undefined)
    const node: SchemaNode = { schema, resource, parent, keyword, key, depth }
    resource.root ??= node
    this.#nodes.set(schema, node)
    this.#nameAnchors(node)
    for (const name of Object.keys(schema)) {
      if (!hasKeyword(resource.dialect, name)) continue
      if (SUBSCHEMAS.has(name)) this.#indexKeyword(node, name, schema[name])
      else this.#survey(node, name, schema[name])
    }
    return node
  }

  #indexKeyword(node: SchemaNode, name: string, held: unknown): void {
    const shape = SUBSCHEMAS.get(name)
    const depth = node.depth + 1
    if (shape === "list" || (shape === "one or list" && isArray(held))) {
      if (!isArray(held)) return this.#noteMalformed(node, name, "is no array")
      held.forEach((schema, index) => this.#indexOne(schema, node, name, index, depth))
    } else if (shape === "one" || shape === "one or list") {
      this.#indexOne(held, node, name, undefined, depth)
    } else {
      if (!isObject(held)) return this.#noteMalformed(node, name, "is no object")
      for (const key of Object.keys(held)) {
        if (shape === "map of schemas or names" && isArray(held[key])) continue
        this.#indexOne(held[key], node, name, key, depth)
        const reason = name === "patternProperties" ? whyPatternIgnored(key) : undefined
        if (reason !== undefined) this.losses.add(`${pointerOf(node)}/${name}/${pointerToken(key)}`, name, reason)
      }
    }
  }

  #survey(node: SchemaNode, keyword: string, value: unknown): void {
    const reason = whyIgnored(keyword, value)
    if (reason !== undefined) this.losses.add(`${pointerOf(node)}/${keyword}`, keyword, reason)
  }

  #indexOne(schema: unknown, node: SchemaNode, keyword: string, key: string | number | undefined, depth: number): void {
    if (typeof schema === "boolean") return
    if (isObject(schema)) {
      this.#index(schema, node.resource, node, keyword, key, depth)
      return
    }
    const at = key === undefined ? "" : `/${pointerToken(key)}`
    this.losses.add(`${pointerOf(node)}/${keyword}${at}`, keyword, "is no schema: neither an object nor a boolean")
  }

  #noteMalformed(node: SchemaNode, keyword: string, reason: string): void {
    this.losses.add(`${pointerOf(node)}/${keyword}`, keyword, reason)
  }

  #isFull = false

  #noteLimit(resource: SchemaResource, parent: SchemaNode | undefined, keyword: string, key: string | number | undefined, limit: "depth" | "nodes"): void {
    // What lies beyond the last node may be all the rest of the document: one note says it.
    if (limit === "nodes" && this.#isFull) return
    this.#isFull ||= limit === "nodes"
    const pointer = parent === undefined ? "" : `${pointerOf(parent)}/${keyword}${key === undefined ? "" : `/${pointerToken(key)}`}`
    const reason = limit === "depth" ? `is nested deeper than ${this.limits.depth} subschemas` : `stands beyond the first ${this.limits.nodes} subschemas`
    this.losses.add(pointer === "" && resource.loadedFrom !== undefined ? `${resource.loadedFrom}#` : pointer, limit, reason)
  }

  /** The resource that a schema opens by its identifier, or the one around it. */
  #resourceOf(schema: JSONObject, outer: SchemaResource, isRoot: boolean): SchemaResource {
    const rules = isRoot ? outer : this.#rulesOf(schema, outer, undefined)
    const id = rules.dialect === "draft-04" ? schema.id : schema.$id
    if (typeof id !== "string" || (ignoresRefSiblings(rules.dialect) && typeof schema.$ref === "string")) return outer
    // A fragment alone names a place in the resource around it (draft-07 and before); see #nameAnchors.
    const target = id.startsWith("#") ? undefined : resolveReference(id, outer.uri)
    if (target === undefined || (target.uri === outer.uri && !isRoot)) return outer
    const existing = this.#resources.get(target.uri)
    if (isRoot) {
      // Reached by the URI it was loaded from as well.
      const renamed = newResource(target.uri, rules, outer.loadedFrom)
      this.#resources.set(outer.uri, renamed)
      if (existing === undefined) this.#resources.set(target.uri, renamed)
      return renamed
    }
    const resource = newResource(target.uri, rules, outer.loadedFrom)
    if (existing === undefined) this.#resources.set(target.uri, resource)
    return resource
  }

  #nameAnchors(node: SchemaNode): void {
    const { schema, resource } = node
    if (typeof schema.$ref === "string") this.#referring.push(node)
    if (schema.unevaluatedItems !== undefined || schema.unevaluatedProperties !== undefined) this.usesUnevaluated = true
    if (!ignoresRefSiblings(resource.dialect) || typeof schema.$ref !== "string") {
      const id = resource.dialect === "draft-04" ? schema.id : schema.$id
      if (typeof id === "string" && id.includes("#") && !id.endsWith("#")) {
        const target = resolveReference(id, resource.uri)
        if (target !== undefined && withoutFragment(target.uri) === resource.uri) setOnce(resource.anchors, target.fragment, node)
      }
    }
    if (typeof schema.$anchor === "string" && hasKeyword(resource.dialect, "$anchor")) setOnce(resource.anchors, schema.$anchor, node)
    if (typeof schema.$dynamicAnchor === "string" && hasKeyword(resource.dialect, "$dynamicAnchor")) {
      setOnce(resource.anchors, schema.$dynamicAnchor, node)
      setOnce(resource.dynamicAnchors, schema.$dynamicAnchor, node)
    }
    for (const keyword of ["$dynamicRef", "$recursiveRef"]) {
      if (typeof schema[keyword] === "string" && hasKeyword(resource.dialect, keyword)) {
        this.usesDynamicScope = true
      }
    }
  }

  /** The rules that a `$schema` sets, or those around it. */
  #rulesOf(schema: JSONObject, outer: Rules, pointer: string | undefined): Rules {
    const name = schema.$schema
    if (typeof name !== "string") return outer
    const dialect = dialectOfURI(name)
    if (dialect !== undefined) return { dialect, validates: true, assertsFormat: false }
    const uri = resolveReference(name, DEFAULT_BASE)?.uri
    const metaschema = uri === undefined ? undefined : (this.#remotes?.get(uri) ?? this.#remotes?.get(name))
    const described = isObject(metaschema) ? vocabulariesOf(metaschema) : undefined
    if (described !== undefined) {
      this.hasOwnMetaschema = true
      return described
    }
    if (pointer !== undefined) this.losses.add("/$schema", "$schema", "names a dialect that is not known; read as 2020-12")
    return outer
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
      const node = this.#nodes.get(at)
      if (node === undefined) rest.push(token)
      else {
        nearest = node
        rest.length = 0
      }
    }
    if (typeof at === "boolean") return at
    if (rest.length === 0) return nearest
    if (!isObject(at)) return undefined
    const keyword = rest.map(pointerToken).join("/")
    return this.#index(at, nearest.resource, nearest, keyword, undefined, nearest.depth + 1) ?? true
  }
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 200)}…` : text
}

function newResource(uri: string, rules: Rules, loadedFrom: string | undefined): SchemaResource {
  const { dialect, validates, assertsFormat } = rules
  return { uri, dialect, validates, assertsFormat, loadedFrom, anchors: new Map(), dynamicAnchors: new Map(), root: undefined }
}

function setOnce(map: Map<string, SchemaNode>, name: string, node: SchemaNode): void {
  if (!map.has(name)) map.set(name, node)
}

const VOCABULARY = /^https:\/\/json-schema\.org\/draft\/(2019-09|2020-12)\/vocab\/(.{1,30})$/

/** What a metaschema of one's own says about the schemas that name it. */
function vocabulariesOf(metaschema: JSONObject): Rules | undefined {
  const base = typeof metaschema.$schema === "string" ? dialectOfURI(metaschema.$schema) : undefined
  if (base === undefined) return undefined
  if (!isObject(metaschema.$vocabulary)) return { dialect: base, validates: true, assertsFormat: false }
  const names = Object.keys(metaschema.$vocabulary).map((uri) => VOCABULARY.exec(uri)?.[2])
  return { dialect: base, validates: names.includes("validation"), assertsFormat: names.includes("format-assertion") }
}

function plainCopy(schema: unknown): unknown {
  try {
    const copy: unknown = JSON.parse(JSON.stringify(schema))
    return copy
  } catch {
    return undefined
  }
}
