/**
 * An envelope for a reader: how the call went, what the tool said, its data, and what was changed on the way.
 *
 * In: an envelope. Out: text. Blocks come in the order of the server; a text that only repeats the data is left out.
 * Pictures and sounds are named with type and size: a terminal cannot show them.
 */
import { isDeepStrictEqual } from "node:util"
import type { DataChange } from "../../schema.js"
import type { MCPContentBlock, MCPResponseMeta, ResponseEnvelope } from "../../envelope.js"
import { jsonView } from "./json_view.js"
import { printable, printableLine } from "./printable.js"
import type { Screen } from "./screen.js"

/** The whole answer to one call. */
export function envelopeView(id: string, { data, meta }: ResponseEnvelope, screen: Screen): string {
  if (meta.source !== "mcp") return jsonView(data, screen)
  const isData = meta.dataFrom !== "content"
  const paragraphs = [headLine(id, meta, screen), ...blockViews(meta.content, isData ? data : undefined, meta.structuredContent, screen)]
  if (isData) paragraphs.push(jsonView(data, screen))
  const notes = noteLines(meta, screen)
  if (notes.length > 0) paragraphs.push(notes.join("\n"))
  return paragraphs.join("\n\n")
}

/** What became of the answer, in words, by its conformance. */
const CONFORMANCE_WORDS: Readonly<Record<MCPResponseMeta["conformance"], string>> = {
  untyped: "the tool declares no output schema",
  exact: "the data fits the output schema",
  cast: "the data did not fit the output schema and was brought to it",
  invalid: "the data does not fit the output schema and is shown as sent",
  missing: "the output schema promises data, and none came",
}

function headLine(id: string, meta: MCPResponseMeta, { paint }: Screen): string {
  const name = paint.strong(printableLine(id))
  if (meta.isError) return `${paint.bad("failed")}  ${name}: the tool reports an error`
  const isDoubtful = meta.conformance !== "exact" && meta.conformance !== "untyped"
  return `${isDoubtful ? paint.notable("ok") : paint.good("ok")}  ${name}: ${CONFORMANCE_WORDS[meta.conformance]}`
}

function blockViews(content: readonly MCPContentBlock[], data: unknown, sent: unknown, screen: Screen): string[] {
  return content.flatMap((block) => (block.type === "text" && repeats(block.text, data, sent) ? [] : [blockView(block, screen)]))
}

function repeats(text: string, data: unknown, sent: unknown): boolean {
  if (data === undefined && sent === undefined) return false
  try {
    const said: unknown = JSON.parse(text)
    return isDeepStrictEqual(said, sent) || isDeepStrictEqual(said, data)
  } catch {
    return false
  }
}

function blockView(block: MCPContentBlock, { paint }: Screen): string {
  switch (block.type) {
    case "text":
      return printable(block.text)
    case "image":
    case "audio":
      return paint.faint(`[${block.type} ${printableLine(block.mimeType)}, ${byteSize(block.data)}]`)
    case "resource": {
      const { uri, mimeType = "", text, blob } = block.resource
      const head = paint.faint(`[resource ${printableLine(`${uri} ${mimeType}`)}${blob === undefined ? "" : `, ${byteSize(blob)}`}]`)
      return text === undefined ? head : `${head}\n${printable(text)}`
    }
    case "resource_link":
      return paint.faint(`[link to ${printableLine(`${block.uri} ${block.mimeType ?? ""}`)}]`) + ` ${printableLine(block.title ?? block.name)}`
  }
}

/** The size of what a base64 text stands for. */
function byteSize(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, "").length * 3) / 4)
  return bytes < 10_000 ? `${bytes.toLocaleString("en")} bytes` : `${(bytes / 1000).toFixed(0)} kB`
}

/** What did not fit and what was changed, one line each. */
function noteLines({ issues = [], issuesTotal, changes = [], changesTotal, unchecked = [] }: MCPResponseMeta, screen: Screen): string[] {
  const { paint } = screen
  const more = (shown: number, total = shown): string[] => (total > shown ? [paint.faint(`  and ${String(total - shown)} more`)] : [])
  return [
    ...issues.map(({ path, message }) => `${paint.notable("issue")}   ${place(path)}: ${printableLine(message)}`),
    ...more(issues.length, issuesTotal),
    ...changes.map((change) => `${paint.notable("change")}  ${place(change.path)}: ${changeWords(change, screen)}`),
    ...more(changes.length, changesTotal),
    ...unchecked.map((path) => paint.faint(`unchecked  ${place(path)} of the output schema`)),
  ]
}

function changeWords(change: DataChange, screen: Screen): string {
  const show = (value: unknown): string => jsonView(value, { ...screen, columns: Infinity, clip: 60 })
  switch (change.kind) {
    case "added":
      return `${show(change.to)} was filled in (${change.origin === "default" ? "the schema's default" : "invented"})`
    case "removed":
      return `${show(change.from)} was taken out`
    case "replaced":
      return `${show(change.from)} became ${show(change.to)}`
  }
}

function place(path: string): string {
  return path === "" ? "the whole" : printableLine(path)
}
