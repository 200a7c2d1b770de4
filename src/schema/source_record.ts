/**
 * What a converted schema remembers of where it came from.
 *
 * In: a TypeBox schema. Out: the JSON Schema it was made from, its losses, its evaluator. The record stands under a symbol, so that
 * `Type.Optional` and object spread keep it and `JSON.stringify` drops it; inside a function, so that TypeBox's deep clone
 * leaves it alone.
 */
import type { TSchema } from "@sinclair/typebox"
import type { Dialect } from "./dialect.js"
import type { Subschema } from "./document/schema_node.js"
import type { SchemaDocument } from "./document/schema_document.js"
import type { Kernel } from "./kernel/kernel.js"
import type { SchemaLoss } from "./loss.js"

const SOURCE = Symbol.for("mcp-operations.schemaSource")

/**
 * `compiled`: code may be made of it. `compiled, by depth`: the same, but the schema is recursive, so the value's depth decides first.
 * `interpreted`: compiling would take too long, or the work of a check could multiply without memory.
 */
export type Road = "compiled" | "compiled, by depth" | "interpreted"

/** The memory of one conversion. */
export interface SourceRecord {
  /** The JSON Schema, deep-frozen, without what JSON does not write. */
  readonly schema: unknown
  /** The dialect, where it was given as an option. */
  readonly dialect: Dialect | undefined
  readonly losses: readonly SchemaLoss[]
  readonly document: SchemaDocument
  readonly root: Subschema
  readonly kernel: () => Kernel
  /** How our own checks are made. */
  readonly road: Road
}

/** The schema with its memory, and with a `toJSON` where it needs one of its own. */
export function withRecord(schema: TSchema, record: SourceRecord, toJSON: ((key: string) => unknown) | undefined): TSchema {
  const remembering = { ...schema, [SOURCE]: () => record }
  // Not enumerable: it is no part of the schema.
  if (toJSON !== undefined) Object.defineProperty(remembering, "toJSON", { value: toJSON })
  return Object.freeze(remembering)
}

/** The memory of a schema that `FromSchema` made, also below `Type.Optional`; undefined for every other schema. */
export function recordOf(schema: TSchema): SourceRecord | undefined {
  // Only this file puts something under the symbol.
  const memory = (schema as { [SOURCE]?: () => SourceRecord })[SOURCE]
  return typeof memory === "function" ? memory() : undefined
}

/** The JSON Schema that a schema was made from, with its dialect where that was an option; undefined when it was not made by `FromSchema`. */
export function sourceOf(schema: TSchema): { schema: unknown; dialect?: Dialect } | undefined {
  const record = recordOf(schema)
  if (record === undefined) return undefined
  return record.dialect === undefined ? { schema: record.schema } : { schema: record.schema, dialect: record.dialect }
}

/** What of the source is not enforced; empty for a schema that was not made by `FromSchema`. */
export function lossOf(schema: TSchema): readonly SchemaLoss[] {
  return recordOf(schema)?.losses ?? []
}
