/**
 * What a model reads of an answer.
 *
 * In: an envelope of any source. Out: a string where every part is text, else parts in server order. The envelope is left as it is,
 * and the program keeps it. The table of all rules is in docs/architecture/tools.md.
 * Texts of the server are joined with nothing between, since servers cut them where they like; what is written here for another kind
 * of block stands on a line of its own, since a `data:` URL that runs on into a text is broken.
 */
import { describeReductions, type MCPContentBlock, type MCPResponseMeta, type ResponseEnvelope } from "../envelope.js"
import { describeBlock, resourceText } from "./describe_block.js"
import { ToolError } from "./tool_error.js"

/** A part of a result: text, or a file whose `data` is base64 as the server sent it. */
export type ToolResultPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "file"; readonly data: { readonly type: "data"; readonly data: string }; readonly mediaType: string }

/** What a model reads: a string where every part is text, else the parts. */
export type ToolResult = string | readonly ToolResultPart[]

/** How an answer is mapped; everything has a default. */
export interface MapResultOptions {
  /** `"strict"` refuses what a model cannot be shown, see `unsupported`. Default `"lenient"`. */
  readonly profile?: "lenient" | "strict" | undefined
  /** What stands between the texts of two blocks. Default: nothing between texts of the server, a line break around every other kind. */
  readonly separator?: string | undefined
  /** An image as a file part (default), or as a `data:` URL inside the string. */
  readonly images?: "file" | "data-url" | undefined
  /** Audio and resource links: a `ToolError`, or one line that describes them. Default: `"throw"` in the strict profile, else `"describe"`. */
  readonly unsupported?: "throw" | "describe" | undefined
  /** `"structured"` puts the structured content first, as JSON, wherever it is there. Default `"content"`: only where there are no blocks. */
  readonly prefer?: "content" | "structured" | undefined
  /** An answer that says it is an error: a `ToolError` (default), or its text, marked by `Error: ` in front. */
  readonly onError?: "throw" | "return" | undefined
}

/** A part on its way; `line` stands alone, where texts of the server run on. */
type Segment = { readonly text: string; readonly line: boolean } | Extract<ToolResultPart, { type: "file" }>

const NO_TEXT = "MCP tool returned an error"

/**
 * What a model reads of an answer.
 *
 * @throws ToolError where the answer is an error and `onError` is `"throw"`, or holds a block that is not to be passed on.
 *
 * @example
 * const envelope = await registry.execute("files.read_text_file", { path: "README.md" })
 * const read = mapResult(envelope, { images: "data-url" })
 */
export function mapResult(envelope: ResponseEnvelope, options: MapResultOptions = {}): ToolResult {
  const { meta } = envelope
  if (meta.source === "mcp" && meta.isError) {
    const message = errorText(meta)
    if (options.onError !== "return") throw new ToolError("failed", message, envelope)
    return `Error: ${message}`
  }
  const segments = meta.source === "mcp" ? segmentsOf(envelope, meta, options) : [own(valueText(envelope.data))]
  const missing = describeReductions(meta.reduced)
  if (missing !== "") segments.push(own(missing))
  return joined(segments, options.separator)
}

/** What the tool said about its failure: its text blocks, a line each. */
export function errorText({ content }: MCPResponseMeta): string {
  const texts = content.flatMap((block) => (block.type === "text" ? [block.text] : []))
  return texts.length === 0 ? NO_TEXT : texts.join("\n")
}

function segmentsOf(envelope: ResponseEnvelope, meta: MCPResponseMeta, options: MapResultOptions): Segment[] {
  if (meta.dataFrom === "toolResult") return [own(valueText(envelope.data))]
  const structured = structuredOf(envelope, meta)
  if (structured === undefined || (options.prefer !== "structured" && meta.content.length > 0)) {
    return meta.content.map((block) => segmentOf(block, envelope, options))
  }
  const text = valueText(structured.value, true)
  // Servers send the same value as text beside it: once is enough.
  const others = meta.content.filter((block) => block.type !== "text" || !saysTheSame(block.text, text))
  return [own(text), ...others.map((block) => segmentOf(block, envelope, options))]
}

/** As sent; where a middleware of the host took that out for its size, what was left of it in `data`. */
function structuredOf({ data }: ResponseEnvelope, meta: MCPResponseMeta): { readonly value: unknown } | undefined {
  if (meta.structuredContent !== undefined) return { value: meta.structuredContent }
  return meta.dataFrom === "structuredContent" ? { value: data } : undefined
}

function segmentOf(block: MCPContentBlock, envelope: ResponseEnvelope, options: MapResultOptions): Segment {
  switch (block.type) {
    case "text":
      return { text: block.text, line: false }
    case "image":
      if (options.images === "data-url") return own(`data:${block.mimeType};base64,${block.data}`)
      return { type: "file", data: { type: "data", data: block.data }, mediaType: block.mimeType }
    case "resource":
      return own(resourceText(block))
    case "audio":
    case "resource_link": {
      const unsupported = options.unsupported ?? (options.profile === "strict" ? "throw" : "describe")
      if (unsupported === "describe") return own(describeBlock(block))
      throw new ToolError("unsupported", `Unsupported MCP tool result content type: ${block.type}`, envelope)
    }
  }
}

function joined(segments: readonly Segment[], separator: string | undefined): ToolResult {
  const parts: ToolResultPart[] = []
  let text = ""
  let last: Segment | undefined
  const flush = () => {
    if (last !== undefined && "text" in last) parts.push({ type: "text", text })
  }
  for (const segment of segments) {
    if (!("text" in segment)) {
      flush()
      parts.push(segment)
    } else if (last === undefined || !("text" in last)) text = segment.text
    else text += (separator ?? (last.line || segment.line ? "\n" : "")) + segment.text
    last = segment
  }
  if (parts.length === 0) return text
  flush()
  return parts
}

function own(text: string): Segment {
  return { text, line: true }
}

/** A string as it is, unless it is to be JSON; anything else as JSON where JSON can say it. */
function valueText(value: unknown, asJSON = false): string {
  if (typeof value === "string" && !asJSON) return value
  try {
    // JSON has no text for undefined, functions and symbols: JSON.stringify gives undefined then.
    const text: unknown = JSON.stringify(value)
    if (typeof text === "string") return text
  } catch {
    // Circles and BigInt: what follows says at least what kind of value it is.
  }
  return String(value)
}

function saysTheSame(text: string, json: string): boolean {
  try {
    return JSON.stringify(JSON.parse(text)) === json
  } catch {
    return false
  }
}
