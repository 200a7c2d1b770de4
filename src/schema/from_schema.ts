/**
 * JSON Schema to TypeBox.
 *
 * In: a JSON Schema of any dialect. Out: one frozen TypeBox schema that accepts and refuses the same values, on every TypeBox road.
 * Nothing is fetched. What cannot be enforced counts as unknown and is listed by `lossOf`. Equal schemas are converted once a process.
 */
import type { TSchema } from "@sinclair/typebox"
import { CallError } from "../error.js"
import { BoundedCache } from "./bounded_cache.js"
import { contentDigest } from "./content_digest.js"
import { deepFreeze } from "./deep_freeze.js"
import type { Dialect } from "./dialect.js"
import { SchemaDocument } from "./document/schema_document.js"
import type { TFromSchema } from "./from_schema_type.js"
import { Kernel } from "./kernel/kernel.js"
import { fullLimits, type SchemaLimits } from "./limits.js"
import { LossList } from "./loss.js"
import { Converter } from "./native/converter.js"
import { toOwnJSON } from "./native/own_json.js"
import { plainText } from "./plain_source.js"
import { lossOf, withRecord, type Road } from "./source_record.js"

/** How a schema is read. */
export interface FromSchemaOptions {
  /** The dialect of a schema without `$schema`; default 2020-12, read so that the spellings of older dialects keep their meaning. */
  readonly dialect?: Dialect | undefined
  /** Schemas that references may lead to, by absolute URI. Nothing else is ever loaded. */
  readonly remotes?: ReadonlyMap<string, unknown> | undefined
  /** Whether `format` refuses values; default `"annotate"`: it does not, except where the schema's own metaschema asks for it. */
  readonly format?: "annotate" | "assert" | undefined
  /** Whether `contentEncoding` and `contentMediaType` refuse values; default `"annotate"`. */
  readonly content?: "annotate" | "assert" | undefined
  readonly limits?: SchemaLimits | undefined
  /** True: throw instead of leaving something out. Default false. */
  readonly strict?: boolean | undefined
}

/**
 * The TypeBox schema of a JSON Schema: equal in what it accepts, typed by the schema where that is a literal.
 *
 * The result is frozen, shared by all callers with an equal schema, works with `Value` and `TypeCompiler` of TypeBox, and its JSON is a
 * JSON Schema (2020-12) with the same meaning. Nodes that TypeBox cannot express have the kind `"mcp-operations:Exact"`.
 *
 * @throws CallError SCHEMA_ERROR with `strict`, for the first part that could not be enforced.
 * @example
 * const Point = FromSchema({ type: "object", properties: { x: { type: "number" } }, required: ["x"] })
 * type Point = Static<typeof Point> // { x: number }
 */
export function FromSchema<const S>(schema: S, options: FromSchemaOptions = {}): TFromSchema<S> {
  const losses = new LossList()
  const text = plainText(schema, losses)
  const converted = options.remotes === undefined || options.remotes.size === 0 ? cached(text, options, losses) : convert(text, options, losses)
  if (options.strict === true) refuseLosses(converted)
  // What the type says of a literal is what the conversion does with it: shown by the type tests and the suite.
  return converted as TFromSchema<S>
}

/** Conversions kept, and characters of their sources. */
const conversions = new BoundedCache<TSchema>(2_000, 20_000_000)

function cached(text: string | undefined, options: FromSchemaOptions, losses: LossList): TSchema {
  const key = contentOf(text, options)
  const known = conversions.get(key)
  if (known !== undefined) return known
  const converted = convert(text, options, losses)
  // What was cut from the source is not in its text.
  if (losses.entries.every(({ pointer, keyword }) => pointer !== "" || keyword !== "depth")) conversions.set(key, converted, key.length)
  return converted
}

/** Everything that a conversion depends on, but the remote schemas. */
function contentOf(text: string | undefined, { dialect, format, content, limits }: FromSchemaOptions): string {
  const { depth, nodes, valueDepth } = fullLimits(limits)
  return `${dialect ?? ""} ${format ?? ""} ${content ?? ""} ${depth} ${nodes} ${valueDepth}\n${text ?? ""}`
}

function convert(text: string | undefined, options: FromSchemaOptions, losses: LossList): TSchema {
  const source: unknown = text === undefined ? undefined : deepFreeze(JSON.parse(text))
  const { dialect, remotes } = options
  const document = new SchemaDocument(source, { dialect, remotes, limits: fullLimits(options.limits), losses })
  const asserts = { format: options.format === "assert", content: options.content === "assert" }
  let made: Kernel | undefined
  const kernel = () => (made ??= new Kernel(document, asserts))
  const digest = () => contentDigest(`${contentOf(text, options)}\n${JSON.stringify(document.loadedRoots())}`)
  const converter = new Converter(document, asserts, kernel, digest)
  const schema = converter.convertRoot()
  const road = roadOf(document, converter)
  const toJSON = converter.prefix === undefined ? undefined : toOwnJSON(schema, converter.prefix)
  return withRecord(schema, { schema: source, dialect, losses: losses.entries, document, root: document.root, kernel, road }, toJSON)
}

/** Levels of one definition that TypeBox compiles in reasonable time: its code grows with their square. */
const MAX_COMPILED_DEPTH = 48
/** Nodes that are compiled; the rest of the world's schemas are interpreted. */
const MAX_COMPILED_NODES = 10_000

function roadOf({ growth, root }: SchemaDocument, { deepest, nodes }: Converter): Road {
  if (typeof root === "boolean" || growth.multiplies || deepest > MAX_COMPILED_DEPTH || nodes > MAX_COMPILED_NODES) return "interpreted"
  return growth.isRecursive ? "compiled, by depth" : "compiled"
}

function refuseLosses(schema: TSchema): void {
  // A dialect that nobody knows is read as the newest, never refused.
  const loss = lossOf(schema).find(({ keyword }) => keyword !== "$schema")
  if (loss === undefined) return
  const { pointer, keyword, reason } = loss
  throw new CallError("SCHEMA_ERROR", `The schema cannot be enforced at ${pointer === "" ? "its root" : pointer}: ${keyword === "" ? "it" : keyword} ${reason}`, {
    details: { pointer, keyword, reason },
  })
}
