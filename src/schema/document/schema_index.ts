/**
 * Every subschema by its place, every identifier and anchor by its name: one pass over a schema.
 *
 * In: plain JSON that nobody else changes, remote schemas, limits. Out: nodes and resources; what means nothing goes to the losses.
 * Subschemas under keywords that no dialect knows are read when a reference leads to them, not before: an `$id` there is no
 * identifier. Knows nothing of what references mean.
 */
import type { Dialect } from "../dialect.js"
import { isArray, isObject, type JSONObject } from "../json_object.js"
import type { FullLimits } from "../limits.js"
import type { LossList } from "../loss.js"
import { hasKeyword, ignoresRefSiblings, SUBSCHEMAS } from "./keywords.js"
import { pointerOf, type SchemaNode, type SchemaResource, type Subschema } from "./schema_node.js"
import { rulesOf, type SchemaRules } from "./schema_rules.js"
import { whyIgnored, whyPatternIgnored } from "./survey.js"
import { pointerToken, resolveReference } from "./uri.js"

/** What a document is read with. */
export interface DocumentOptions {
  /** The dialect of schemas that name none; undefined: read leniently. */
  readonly dialect: Dialect | undefined
  readonly remotes: ReadonlyMap<string, unknown> | undefined
  readonly limits: FullLimits
  readonly losses: LossList
}

/** Where a subschema stands. */
interface Place {
  readonly parent: SchemaNode | undefined
  readonly keyword: string
  readonly key: string | number | undefined
}

/** The index of a document and of what was loaded for it. */
export class SchemaIndex {
  readonly nodes = new Map<unknown, SchemaNode>()
  readonly resources = new Map<string, SchemaResource>()
  /** The nodes that refer, in the order they were found. */
  readonly referring: SchemaNode[] = []
  usesDynamicScope = false
  usesUnevaluated = false
  hasOwnMetaschema = false
  readonly #options: DocumentOptions
  #isFull = false

  constructor(options: DocumentOptions) {
    this.#options = options
  }

  /** Reads a whole schema under a URI; `loadedFrom` is that URI for a schema that was loaded, undefined for the document itself. */
  load(schema: unknown, uri: string, loadedFrom: string | undefined, dialect: Dialect | undefined): Subschema {
    if (typeof schema === "boolean") return schema
    const { losses, remotes } = this.#options
    if (!isObject(schema)) {
      losses.add(loadedFrom === undefined ? "" : `${loadedFrom}#`, "", "is no schema: neither an object nor a boolean")
      return true
    }
    const { rules, from } = rulesOf(schema, { dialect, validates: true, assertsFormat: false }, remotes)
    this.hasOwnMetaschema ||= from === "own metaschema"
    if (from === "unknown") losses.add(`${loadedFrom === undefined ? "" : `${loadedFrom}#`}/$schema`, "$schema", "names a dialect that is not known; read as if it named none")
    const resource = newResource(uri, rules, loadedFrom)
    this.resources.set(uri, resource)
    return this.index(schema, resource, { parent: undefined, keyword: "", key: undefined }) ?? true
  }

  /** Reads a subschema and everything in it; undefined when it lies beyond a limit. */
  index(schema: JSONObject, outer: SchemaResource, place: Place): SchemaNode | undefined {
    const { limits } = this.#options
    const depth = place.parent === undefined ? 0 : place.parent.depth + 1
    if (depth > limits.depth) { this.#noteLimit(outer, place, "depth", `is nested deeper than ${limits.depth} subschemas`); return; }
    if (this.nodes.size >= limits.nodes) { this.#noteLimit(outer, place, "nodes", `stands beyond the first ${limits.nodes} subschemas`); return; }
    const resource = this.#resourceOf(schema, outer, place.parent === undefined)
    const node: SchemaNode = { schema, resource, depth, ...place }
    resource.root ??= node
    this.nodes.set(schema, node)
    this.#nameAnchors(node)
    for (const name of Object.keys(schema)) {
      if (!hasKeyword(resource.dialect, name)) continue
      if (SUBSCHEMAS.has(name)) this.#indexKeyword(node, name, schema[name])
      else this.#note(node, name, undefined, whyIgnored(name, schema[name]))
    }
    return node
  }

  #indexKeyword(node: SchemaNode, name: string, held: unknown): void {
    const shape = SUBSCHEMAS.get(name)
    if (shape === "one" || (shape === "one or list" && !isArray(held))) return this.#indexOne(held, node, name, undefined)
    if (shape === "list" || shape === "one or list") {
      if (!isArray(held)) return this.#note(node, name, undefined, "is no array")
      return held.forEach((schema, index) => this.#indexOne(schema, node, name, index))
    }
    if (!isObject(held)) return this.#note(node, name, undefined, "is no object")
    for (const key of Object.keys(held)) {
      if (shape === "map of schemas or names" && isArray(held[key])) continue
      this.#indexOne(held[key], node, name, key)
      if (name === "patternProperties") this.#note(node, name, key, whyPatternIgnored(key))
    }
  }

  #indexOne(schema: unknown, parent: SchemaNode, keyword: string, key: string | number | undefined): void {
    if (isObject(schema)) this.index(schema, parent.resource, { parent, keyword, key })
    else if (typeof schema !== "boolean") this.#note(parent, keyword, key, "is no schema: neither an object nor a boolean")
  }

  #note(node: SchemaNode, keyword: string, key: string | number | undefined, reason: string | undefined): void {
    if (reason === undefined) return
    const at = key === undefined ? "" : `/${pointerToken(key)}`
    this.#options.losses.add(`${pointerOf(node)}/${keyword}${at}`, keyword, reason)
  }

  #noteLimit({ loadedFrom }: SchemaResource, { parent, keyword, key }: Place, limit: "depth" | "nodes", reason: string): undefined {
    // What lies beyond the last node may be all the rest of the document: one note says it.
    if (limit === "nodes" && this.#isFull) return
    this.#isFull ||= limit === "nodes"
    const root = loadedFrom === undefined ? "" : `${loadedFrom}#`
    const pointer = parent === undefined ? root : `${pointerOf(parent)}/${keyword}${key === undefined ? "" : `/${pointerToken(key)}`}`
    this.#options.losses.add(pointer, limit, reason)
  }

  /** The resource that a schema opens by its identifier, or the one around it. */
  #resourceOf(schema: JSONObject, outer: SchemaResource, isRoot: boolean): SchemaResource {
    const { rules, from } = isRoot ? { rules: outer, from: "around" } : rulesOf(schema, outer, this.#options.remotes)
    this.hasOwnMetaschema ||= from === "own metaschema"
    const id = identifierOf(schema, rules)
    // A fragment alone names a place in the resource around it (draft-07 and before); see #nameAnchors.
    const target = id === undefined || id.startsWith("#") ? undefined : resolveReference(id, outer.uri)
    if (target === undefined || (target.uri === outer.uri && !isRoot)) return outer
    const resource = newResource(target.uri, rules, outer.loadedFrom)
    // The root is reached by the URI it was loaded from as well; of two schemas with one identifier the first has it.
    if (isRoot) this.resources.set(outer.uri, resource)
    if (!this.resources.has(target.uri)) this.resources.set(target.uri, resource)
    return resource
  }

  #nameAnchors(node: SchemaNode): void {
    const { schema, resource } = node
    const refers = typeof schema.$ref === "string"
    const isDynamic = ["$dynamicRef", "$recursiveRef"].some((keyword) => typeof schema[keyword] === "string" && hasKeyword(resource.dialect, keyword))
    if (refers || isDynamic) this.referring.push(node)
    this.usesDynamicScope ||= isDynamic
    this.usesUnevaluated ||= schema.unevaluatedItems !== undefined || schema.unevaluatedProperties !== undefined
    const id = identifierOf(schema, resource)
    if (id !== undefined && id.includes("#") && !id.endsWith("#")) {
      const target = resolveReference(id, resource.uri)
      if (target?.uri === resource.uri) setOnce(resource.anchors, target.fragment, node)
    }
    if (typeof schema.$anchor === "string" && hasKeyword(resource.dialect, "$anchor")) setOnce(resource.anchors, schema.$anchor, node)
    if (typeof schema.$dynamicAnchor === "string" && hasKeyword(resource.dialect, "$dynamicAnchor")) {
      setOnce(resource.anchors, schema.$dynamicAnchor, node)
      setOnce(resource.dynamicAnchors, schema.$dynamicAnchor, node)
    }
  }
}

/** What a schema calls itself; nothing where a reference beside it rules that out. */
function identifierOf(schema: JSONObject, { dialect }: SchemaRules): string | undefined {
  if (typeof schema.$ref === "string" && ignoresRefSiblings(dialect)) return undefined
  const id = dialect === "draft-04" ? schema.id : schema.$id
  return typeof id === "string" ? id : undefined
}

function newResource(uri: string, { dialect, validates, assertsFormat }: SchemaRules, loadedFrom: string | undefined): SchemaResource {
  return { uri, dialect, validates, assertsFormat, loadedFrom, anchors: new Map(), dynamicAnchors: new Map(), root: undefined }
}

function setOnce(map: Map<string, SchemaNode>, name: string, node: SchemaNode): void {
  if (!map.has(name)) map.set(name, node)
}
