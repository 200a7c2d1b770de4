/**
 * The envelope of an MCP tool's answer: what `data` is, where it came from, and everything that the server said beside it.
 *
 * In: the data, and what is known of the result. Out: an envelope whose members that are undefined are left out.
 * Decides nothing: which part of a result becomes `data` stands in the from_mcp room.
 */
import { Type, type Static } from "@sinclair/typebox"
import { DataChange, SchemaIssue } from "../schema.js"
import { MCPContentBlock } from "./content_block.js"
import { Reduction } from "./reduction.js"

/** How `data` stands to the output schema of the tool; the table is in docs/architecture/response-envelopes.md. */
export const Conformance = Type.Union([
  Type.Literal("untyped"),
  Type.Literal("exact"),
  Type.Literal("cast"),
  Type.Literal("invalid"),
  Type.Literal("missing"),
])
export type Conformance = Static<typeof Conformance>

/** Which part of the server's answer `data` is. */
export const DataFrom = Type.Union([
  Type.Literal("structuredContent"),
  Type.Literal("content"),
  Type.Literal("toolResult"),
  Type.Literal("text"),
])
export type DataFrom = Static<typeof DataFrom>

/**
 * Where an MCP result came from and all that the server said: `isError` is data, `content` holds every block in server order,
 * `structuredContent`, `_meta` and `extra` are as sent; `issues` and `changes` say what did not fit and what was changed.
 */
export const MCPResponseMeta = Type.Object({
  source: Type.Literal("mcp"),
  server: Type.String(),
  tool: Type.String(),
  isError: Type.Boolean(),
  content: Type.Array(MCPContentBlock),
  structuredContent: Type.Optional(Type.Unknown()),
  _meta: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  extra: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  dataFrom: DataFrom,
  conformance: Conformance,
  issues: Type.Optional(Type.Array(SchemaIssue)),
  issuesTotal: Type.Optional(Type.Number()),
  changes: Type.Optional(Type.Array(DataChange)),
  changesTotal: Type.Optional(Type.Number()),
  unchecked: Type.Optional(Type.Array(Type.String())),
  reduced: Type.Optional(Type.Array(Reduction)),
})
export type MCPResponseMeta = Static<typeof MCPResponseMeta>

/** What `mcpEnvelope` is told of a result: `isError` and `content` are wanted, everything else may be missing or undefined. */
export type MCPEnvelopeInput = Pick<MCPResponseMeta, "isError" | "content"> & {
  readonly [K in Exclude<keyof MCPResponseMeta, "isError" | "content" | "source">]?: MCPResponseMeta[K] | undefined
}

/**
 * The envelope of an MCP result. Defaults: `server` and `tool` `""`, `conformance` `"untyped"`, `dataFrom`
 * `"structuredContent"` where that member is given, else `"content"`. Members that are undefined are left out.
 *
 * @example
 * mcpEnvelope(data, {
 *   isError: result.isError ?? false,
 *   content: mapMCPContentBlocks(result.content),
 *   structuredContent: result.structuredContent,
 *   _meta: result._meta,
 * })
 */
export function mcpEnvelope<T>(data: T, input: MCPEnvelopeInput): { data: T; meta: MCPResponseMeta } {
  const meta: MCPResponseMeta = {
    source: "mcp",
    server: input.server ?? "",
    tool: input.tool ?? "",
    isError: input.isError,
    content: input.content,
    dataFrom: input.dataFrom ?? (input.structuredContent === undefined ? "content" : "structuredContent"),
    conformance: input.conformance ?? "untyped",
  }
  if (input.structuredContent !== undefined) meta.structuredContent = input.structuredContent
  if (input._meta !== undefined) meta._meta = input._meta
  if (input.extra !== undefined) meta.extra = input.extra
  if (input.issues !== undefined) meta.issues = input.issues
  if (input.issuesTotal !== undefined) meta.issuesTotal = input.issuesTotal
  if (input.changes !== undefined) meta.changes = input.changes
  if (input.changesTotal !== undefined) meta.changesTotal = input.changesTotal
  if (input.unchecked !== undefined) meta.unchecked = input.unchecked
  if (input.reduced !== undefined) meta.reduced = input.reduced
  return { data, meta }
}
