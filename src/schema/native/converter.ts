/**
 * Turns a document into one TypeBox schema.
 *
 * In: a document and its kernel. Out: native kinds where TypeBox's check, compiled check and errors are provably the same as
 * JSON Schema, and the exact kind everywhere else. Recursive and large definitions become the `$defs` of one Import with ids
 * that are unique to the schema; the others are put in place of their references.
 */
import { type TSchema } from "@sinclair/typebox"
import type { SchemaDocument } from "../document/schema_document.js"
import type { SchemaNode, Subschema } from "../document/schema_node.js"
import type { Kernel } from "../kernel/kernel.js"
import type { AssertOptions } from "../kernel/rules/string_rules.js"
import { annotationsOf } from "./annotations.js"
import { convertNode } from "./convert_node.js"
import { noteOrigin } from "./origin.js"
import { acceptsUndefined, exactNode, isSafeAsRequired, kindOf, neverNode, typeboxNode, unknownNode } from "./typebox_node.js"
import { visibleKeywords } from "./visible_keywords.js"
import { wholeDocument } from "./visible_document.js"

/** Subschemas that a definition may have to be put in place of each reference to it. */
const MAX_INLINED = 24

interface Definition {
  readonly id: string
  /** Undefined while it is being converted: a reference that meets it so is recursive. */
  schema: TSchema | undefined
  size: number
  isReferred: boolean
}

/** Converts one document. */
export class Converter {
  readonly #definitions = new Map<SchemaNode, Definition>()
  readonly #byId = new Map<string, Definition>()
  /** The longest way to a node in one definition, and how many nodes there are. */
  deepest = 0
  nodes = 0
  /** What the names of all definitions start with; undefined while there is none. */
  prefix: string | undefined
  #ids = 0
  #depth = 0
  #size = 0

  constructor(
    readonly document: SchemaDocument,
    readonly asserts: AssertOptions,
    readonly kernel: () => Kernel,
    /** Names what is converted, and how. */
    readonly digest: () => string,
  ) {}

  /** A name for a definition, which no definition of another schema has; the same in every process. */
  newId(): string {
    this.#ids++
    this.prefix ??= `urn:mcp-operations:${this.digest()}`
    return `${this.prefix}:${this.#ids}`
  }

  /** The whole document. */
  convertRoot(): TSchema {
    const { root } = this.document
    if (typeof root === "boolean") return this.convert(root)
    if (this.document.usesDynamicScope || this.document.hasOwnMetaschema) return this.exact(root, wholeDocument(this.document, this.newId()))
    let schema = this.convert(root)
    // A host may require what is converted here, and TypeBox does not look into an Import for whether it accepts undefined.
    const isSafe = this.#referred().length > 0 ? !acceptsUndefined(schema, this.definitionOf) : isSafeAsRequired(schema, this.definitionOf)
    if (!isSafe) schema = this.exact(root, visibleKeywords(this, root))
    return this.#withDefinitions(schema, root)
  }

  #referred(): Definition[] {
    return [...this.#byId.values()].filter(({ isReferred }) => isReferred)
  }

  #withDefinitions(schema: TSchema, root: SchemaNode): TSchema {
    const definitions = this.#referred()
    if (definitions.length === 0) return schema
    const $defs: Record<string, TSchema> = {}
    for (const { id, schema: defined } of definitions) if (defined !== undefined) $defs[id] = defined
    if (kindOf(schema) === "Ref") {
      return typeboxNode("Import", { $defs: Object.freeze($defs), $ref: schema.$ref }, annotationsOf(root.schema))
    }
    const id = this.newId()
    $defs[id] = Object.freeze({ ...schema, $id: id })
    return typeboxNode("Import", { $defs: Object.freeze($defs), $ref: id })
  }

  /** A subschema where it stands. */
  convert(subschema: Subschema): TSchema {
    if (typeof subschema === "boolean") return subschema ? unknownNode() : neverNode()
    const schema = this.document.referenceCount(subschema) > 0 ? this.refer(subschema, undefined) : this.#convertOnce(subschema)
    noteOrigin(schema, subschema)
    return schema
  }

  /** A subschema of a node. */
  child(node: SchemaNode, keyword: string, key?: string | number): TSchema {
    return this.convert(this.document.subschema(node, keyword, key))
  }

  /** What a reference stands for, with the annotations beside the reference. */
  refer(target: Subschema, annotations: Record<string, unknown> | undefined): TSchema {
    if (typeof target === "boolean") return target ? unknownNode(annotations) : neverNode(annotations)
    const definition = this.#define(target)
    const { schema } = definition
    if (schema === undefined || definition.isReferred || (definition.size > MAX_INLINED && this.document.referenceCount(target) > 1)) {
      definition.isReferred = true
      return typeboxNode("Ref", { $ref: definition.id }, annotations)
    }
    this.#size += definition.size
    return annotations === undefined || Object.keys(annotations).length === 0 ? withoutId(schema) : Object.freeze({ ...withoutId(schema), ...annotations })
  }

  /** The id of a definition, for what shows a reference but is not one to TypeBox. */
  referredId(target: SchemaNode): string {
    const definition = this.#define(target)
    definition.isReferred = true
    return definition.id
  }

  /** The definition of an id of this conversion; undefined while it is being made. */
  readonly definitionOf = (id: string): TSchema | undefined => this.#byId.get(id)?.schema

  /** An exact node: the kernel's answer, and keywords that say the same as JSON. */
  exact(node: SchemaNode, keywords: Record<string, unknown>): TSchema {
    const { kernel } = this
    const check = Object.assign((value: unknown) => kernel().fits(node, value), {
      issues: (value: unknown, limit: number, prefix: string) => kernel().issues(node, value, limit, prefix),
    })
    return exactNode(check, keywords)
  }

  #define(target: SchemaNode): Definition {
    const known = this.#definitions.get(target)
    if (known !== undefined) return known
    const definition: Definition = { id: this.newId(), schema: undefined, size: 0, isReferred: false }
    this.#definitions.set(target, definition)
    this.#byId.set(definition.id, definition)
    const before = this.#size
    const schema = this.#convertOnce(target)
    definition.size = this.#size - before
    this.#size = before
    definition.schema = Object.freeze({ ...schema, $id: definition.id })
    noteOrigin(definition.schema, target)
    return definition
  }

  #convertOnce(node: SchemaNode): TSchema {
    this.#size++
    if (this.document.cuts.has(node)) return unknownNode()
    if (this.#depth >= this.document.limits.depth + 1) {
      this.document.cut(node)
      return unknownNode()
    }
    this.#depth++
    this.nodes++
    this.deepest = Math.max(this.deepest, this.#depth)
    const schema = convertNode(this, node)
    this.#depth--
    return schema
  }
}

function withoutId(schema: TSchema): TSchema {
  const { $id: _, ...rest } = schema
  // Object rest keeps the kind's symbol at run time; the compiler does not know it.
  return Object.freeze(rest)
}

