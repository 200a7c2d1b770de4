/**
 * The JSON Schema behind a TypeBox schema, as a graph that can be walked and asked.
 *
 * In: a TypeBox schema. Out: the document it was made from, with the kernel that evaluates its nodes; a schema that a host
 * wrote in TypeBox is its own document, since TypeBox schemas are JSON Schema. Kept for each schema.
 */
import type { TSchema } from "@sinclair/typebox"
import { SchemaDocument } from "../document/schema_document.js"
import type { Subschema } from "../document/schema_node.js"
import { Kernel } from "../kernel/kernel.js"
import { fullLimits } from "../limits.js"
import { LossList } from "../loss.js"
import { recordOf } from "../source_record.js"

/** A document and its evaluator. */
export interface Source {
  readonly document: SchemaDocument
  readonly kernel: Kernel
}

/** True when the value fits every one of the subschemas. */
export function fitsAll(source: Source, subschemas: readonly Subschema[], value: unknown): boolean {
  return subschemas.every((subschema) => source.kernel.fits(subschema, value))
}

const sources = new WeakMap<TSchema, Source>()

/** The source of a schema. */
export function sourceDocumentOf(schema: TSchema): Source {
  let source = sources.get(schema)
  if (source === undefined) sources.set(schema, (source = readDocument(schema)))
  return source
}

function readDocument(schema: TSchema): Source {
  const record = recordOf(schema)
  if (record !== undefined) return { document: record.kernel().document, kernel: record.kernel() }
  // Without the symbols of TypeBox, and private to the document.
  const plain: unknown = JSON.parse(JSON.stringify(schema))
  const document = new SchemaDocument(plain, { dialect: undefined, remotes: undefined, limits: fullLimits(undefined), losses: new LossList() })
  return { document, kernel: new Kernel(document, { format: false, content: false }) }
}
