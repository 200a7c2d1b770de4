/**
 * What a tool answered, as an envelope.
 *
 * In: a result object as sent, and what the tool declared. Out: the envelope; the table of its cases is in
 * docs/architecture/response-envelopes.md. Nothing is cloned and nothing of the result is changed: content that fits its schema
 * is handed on as the same reference. Never throws.
 */
import type { TSchema } from "@sinclair/typebox"
import { mapMCPContentBlocks, mcpEnvelope, type MCPContentBlock, type MCPEnvelopeInput, type ResponseEnvelope } from "../envelope.js"
import { clipChanges, clipIssues, conform, isObject, unsafeIntegers, type SchemaIssue } from "../schema.js"
import { mayBeRounded } from "./parse_message.js"

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
type Output = NonNullable<AnswerReading["output"]>

/** The envelope of a tool's result. */
export function toEnvelope(result: Members, reading: AnswerReading): ResponseEnvelope {
  const structured = result["structuredContent"]
  if (structured === undefined) return withoutStructured(result, reading)
  const { output } = reading
  if (output === undefined || result["isError"] === true) return envelopeOf(result, reading, structured, "structuredContent", "untyped", contentOf(result))
  try {
    return checked(result, reading, structured, output)
  } catch (cause) {
    // Whatever goes wrong with the checking, the server has answered: the caller gets what it said.
    const issues = [{ path: "", keyword: "", message: `it could not be checked: ${cause instanceof Error ? cause.message : String(cause)}` }]
    return envelopeOf(result, reading, structured, "structuredContent", "invalid", contentOf(result), { issues, unchecked: output.unchecked })
  }
}

function checked(result: Members, reading: AnswerReading, structured: unknown, output: Output): ResponseEnvelope {
  if (output.fits(structured)) return envelopeOf(result, reading, structured, "structuredContent", "exact", contentOf(result), { unchecked: output.unchecked })
  if (structured === null) return missing(result, reading, output, "structuredContent is null, which the output schema refuses")
  const { data, conformance, issues, changes } = conform(output.schema, structured, reading.normalize)
  return envelopeOf(result, reading, data, "structuredContent", conformance, contentOf(result), {
    ...clipIssues(issues),
    ...(changes.length === 0 ? {} : clipChanges(changes)),
    unchecked: output.unchecked,
  })
}

function withoutStructured(result: Members, reading: AnswerReading): ResponseEnvelope {
  const { output } = reading
  const content = contentOf(result)
  if (result["toolResult"] !== undefined && isAbsent(result["content"])) return envelopeOf(result, reading, result["toolResult"], "toolResult", "untyped", content)
  if (output === undefined || result["isError"] === true) return envelopeOf(result, reading, content, "content", "untyped", content)
  const parsed = reading.parseText ? parsedText(content, result["content"], output) : undefined
  if (parsed !== undefined) return envelopeOf(result, reading, parsed.value, "text", "exact", content, { unchecked: output.unchecked })
  return missing(result, reading, output, "structuredContent is missing, though the tool declares an output schema")
}

function missing(result: Members, reading: AnswerReading, { unchecked }: Output, message: string): ResponseEnvelope {
  const content = contentOf(result)
  const issues: SchemaIssue[] = [{ path: "", keyword: "structuredContent", message }]
  return envelopeOf(result, reading, content, "content", "missing", content, { issues, unchecked })
}

/** What was found out about conformance, where there is something to say. */
type Findings = Pick<MCPEnvelopeInput, "issues" | "issuesTotal" | "changes" | "changesTotal" | "unchecked">

const NOTHING: Findings = {}

/** The findings, and an issue for each integer whose digits parsing may have changed. */
function withRounded(result: Members, data: unknown, dataFrom: MCPEnvelopeInput["dataFrom"], findings: Findings): Findings {
  if (dataFrom === "content") return findings
  const rounded = unsafeIntegers(dataFrom === "structuredContent" ? result["structuredContent"] : data)
  if (rounded.length === 0) return findings
  const { issues = [], issuesTotal = issues.length } = findings
  const { issues: shown } = clipIssues([...issues, ...rounded])
  const total = issuesTotal + rounded.length
  return { ...findings, issues: shown, ...(total > shown.length ? { issuesTotal: total } : {}) }
}

/** One literal and no spread: spreading costs more than everything else that is done for an answer. */
function envelopeOf(
  result: Members,
  { server, tool }: AnswerReading,
  data: unknown,
  dataFrom: MCPEnvelopeInput["dataFrom"],
  conformance: MCPEnvelopeInput["conformance"],
  content: MCPContentBlock[],
  found: Findings = NOTHING,
): ResponseEnvelope {
  const findings = mayBeRounded(result) ? withRounded(result, data, dataFrom, found) : found
  const meta = result["_meta"]
  return mcpEnvelope(data, {
    server,
    tool,
    isError: result["isError"] === true,
    content,
    structuredContent: result["structuredContent"],
    // The message filter takes a `_meta` that is no object out; a host's own port may not.
    _meta: isObject(meta) ? meta : undefined,
    extra: extraOf(result),
    dataFrom,
    conformance,
    issues: findings.issues,
    issuesTotal: findings.issuesTotal,
    changes: findings.changes,
    changesTotal: findings.changesTotal,
    unchecked: findings.unchecked,
  })
}

function contentOf(result: Members): MCPContentBlock[] {
  return mapMCPContentBlocks(result["content"])
}

/** The first text block whose JSON fits what the tool declared; a block that became text on our side is none. */
function parsedText(content: readonly MCPContentBlock[], sent: unknown, { fits }: Output): { readonly value: unknown } | undefined {
  if (!Array.isArray(sent)) return undefined
  for (const [index, block] of content.entries()) {
    if (block.type !== "text" || sent[index] !== block) continue
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
      return isObject(result[key]) || isAbsent(result[key])
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
