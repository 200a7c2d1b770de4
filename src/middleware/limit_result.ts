/**
 * Bounds the size of results.
 *
 * In: the most bytes that `data` may have as JSON. Out: envelopes that keep to it, cut where that breaks nothing: the JSON stays
 * JSON, an image is there whole or not at all. What was taken out is listed in `meta.reduced`.
 */
import type { MCPContentBlock, MCPResponseMeta, Reduction, ResponseEnvelope } from "../envelope.js"
import type { Middleware } from "../registry.js"
import { jsonBytes, shrink, type Cut } from "./shrink.js"

/**
 * A middleware that bounds results: `data` has at most `maxBytes` bytes as JSON, and the blocks of an MCP result together at most
 * as many again. Smaller results pass as the same object.
 */
export function limitResult(maxBytes: number): Middleware {
  return async (call, next) => {
    const envelope = await next()
    return call.ended ? envelope : limitEnvelope(envelope, maxBytes)
  }
}

function limitEnvelope(envelope: ResponseEnvelope, maxBytes: number): ResponseEnvelope {
  const { meta } = envelope
  const cuts: Cut[] = []
  // Where `data` is the blocks themselves they are cut once, as blocks.
  const isBlocks = meta.source === "mcp" && meta.dataFrom === "content" && sameJSON(envelope.data, meta.content)
  const smallMeta = meta.source === "mcp" ? limitMeta(meta, maxBytes, cuts) : meta
  const data = isBlocks && smallMeta.source === "mcp" ? smallMeta.content : (shrink(envelope.data, maxBytes, "/data", cuts) ?? null)
  if (cuts.length === 0) return envelope
  const reduced: Reduction[] = [...(meta.reduced ?? []), ...cuts.map(({ path, bytes }) => ({ by: "limit" as const, path, bytes }))]
  return { data, meta: { ...smallMeta, reduced } }
}

function limitMeta(meta: MCPResponseMeta, maxBytes: number, cuts: Cut[]): MCPResponseMeta {
  const small = { ...meta, content: limitBlocks(meta.content, maxBytes, cuts) }
  for (const member of ["structuredContent", "_meta", "extra", "changes"] as const) {
    const bytes = jsonBytes(meta[member])
    if (bytes <= maxBytes) continue
    delete small[member]
    cuts.push({ path: `/meta/${member}`, bytes })
  }
  return small
}

function limitBlocks(blocks: MCPContentBlock[], maxBytes: number, cuts: Cut[]): MCPContentBlock[] {
  if (jsonBytes(blocks) <= maxBytes) return blocks
  const kept: MCPContentBlock[] = []
  let left = maxBytes - 2
  blocks.forEach((block, index) => {
    const bytes = jsonBytes(block) + 1
    if (bytes <= left) {
      kept.push(block)
      left -= bytes
      return
    }
    const path = `/meta/content/${String(index)}`
    const overhead = jsonBytes({ ...block, text: "" }) + 1
    const text = block.type === "text" && left > overhead ? shrink(block.text, left - overhead + 2, `${path}/text`, cuts) : undefined
    if (block.type === "text" && typeof text === "string" && text !== "") {
      const part = { ...block, text }
      kept.push(part)
      left -= jsonBytes(part) + 1
    } else if (text === undefined) cuts.push({ path, bytes })
  })
  return kept
}

function sameJSON(one: unknown, other: unknown): boolean {
  // Two copies where the envelope came over a wire.
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
