/**
 * What a tool answered, as an envelope.
 *
 * In: a result object as sent, and what the tool declared. Out: the envelope; the table of its cases is in
 * docs/architecture/response-envelopes.md. Nothing is cloned and nothing of the result is changed: content that fits its schema
 * is handed on as the same reference. Never throws.
 */
import type { TSchema } from "@sinclair/typebox"
import { mapMCPContentBlocks, mcpEnvelope, type MCPContentBlock, type MCPEnvelopeInput, type ResponseEnvelope } from "../envelope.js"
import { clipChanges, clipIssues, conform, type SchemaIssue } from "../schema.js"

/** What is known of a tool when its answer is read. */
export interface AnswerReading {
  readonly server: string
  readonly tool: string
  /** What the tool declared for its structured content; undefined where it declared nothing. */
  readonly output: { readonly schema: TSchema; readonly fits: (value: unknown) => boolean; readonly unchecked: string[] | undefined } | undefined
  readonly normalize: "cast" | "repair" | "raw"
  readonly parseText: boolean
}

type Members = Readonly<Record<string, unknown>>

const KNOWN = new Set(["content", "structuredContent", "isError", "_meta", "toolResult"])

/** The envelope of a tool's result. */
export function toEnvelope(result: Members, reading: AnswerReading): ResponseEnvelope {
  const content = mapMCPContentBlocks(result["content"])
  const structured = result["structuredContent"]
  const isError = result["isError"] === true
  const meta = {
    server: reading.server,
    tool: reading.tool,
    isError,
    content,
    structuredContent: structured,
    // The message filter takes a `_meta` that is no object out; a host's own port may not.
    _meta: isMembers(result["_meta"]) ? result["_meta"] : undefined,
    extra: extraOf(result),
  }
  if (structured === undefined) return withoutStructured(result, meta, reading)
  const { output } = reading
  if (isError || output === undefined) return mcpEnvelope(structured, { ...meta, dataFrom: "structuredContent", conformance: "untyped" })
  return againstSchema(structured, meta, output, reading.normalize)
}

type Output = NonNullable<AnswerReading["output"]>
type Meta = Pick<MCPEnvelopeInput, "server" | "tool" | "isError" | "content" | "structuredContent" | "_meta" | "extra">

function againstSchema(structured: unknown, meta: Meta, output: Output, normalize: AnswerReading["normalize"]): ResponseEnvelope {
  const { schema, fits, unchecked } = output
  if (fits(structured)) return mcpEnvelope(structured, { ...meta, dataFrom: "structuredContent", conformance: "exact", unchecked })
  if (structured === null) return missing(meta, output, "structuredContent is null, which the output schema refuses")
  const { data, conformance, issues, changes } = conform(schema, structured, normalize)
  return mcpEnvelope(data, {
    ...meta,
    dataFrom: "structuredContent",
    conformance,
    ...clipIssues(issues),
    ...(changes.length === 0 ? {} : clipChanges(changes)),
    unchecked,
  })
}

function withoutStructured(result: Members, meta: Meta, { output, parseText }: AnswerReading): ResponseEnvelope {
  const { content } = meta
  if (result["toolResult"] !== undefined && isAbsent(result["content"])) {
    return mcpEnvelope(result["toolResult"], { ...meta, dataFrom: "toolResult", conformance: "untyped" })
  }
  if (meta.isError || output === undefined) return mcpEnvelope(content, { ...meta, dataFrom: "content", conformance: "untyped" })
  const parsed = parseText ? parsedText(content, output) : undefined
  if (parsed !== undefined) return mcpEnvelope(parsed.value, { ...meta, dataFrom: "text", conformance: "exact", unchecked: output.unchecked })
  return missing(meta, output, "structuredContent is missing, though the tool declares an output schema")
}

function missing(meta: Meta, { unchecked }: Output, message: string): ResponseEnvelope {
  const issues: SchemaIssue[] = [{ path: "", keyword: "structuredContent", message }]
  return mcpEnvelope(meta.content, { ...meta, dataFrom: "content", conformance: "missing", issues, unchecked })
}

/** The first text block whose JSON fits what the tool declared. */
function parsedText(content: readonly MCPContentBlock[], { fits }: Output): { readonly value: unknown } | undefined {
  for (const block of content) {
    if (block.type !== "text") continue
    try {
      const value: unknown = JSON.parse(block.text)
      if (fits(value)) return { value }
    } catch {
      // A text that is no JSON is a text.
    }
  }
  return undefined
}

/** Every member that has no place of its own; an `isError` that is no boolean decides nothing, so it is kept here. */
function extraOf(result: Members): Record<string, unknown> | undefined {
  let extra: Record<string, unknown> | undefined
  for (const key in result) {
    if (hasPlace(key, result)) continue
    // Defined, not assigned: "__proto__" is a member like any other here.
    extra = Object.defineProperty(extra ?? {}, key, { value: result[key], enumerable: true, writable: true, configurable: true })
  }
  return extra
}

function hasPlace(key: string, result: Members): boolean {
  switch (key) {
    case "content":
    case "structuredContent":
      return true
    case "_meta":
      return isMembers(result[key]) || isAbsent(result[key])
    case "isError":
      return typeof result[key] === "boolean" || isAbsent(result[key])
    case "toolResult":
      return result["structuredContent"] === undefined && isAbsent(result["content"])
    default:
      return result[key] === undefined
  }
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null
}

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
