/**
 * Bounds the size of results.
 *
 * In: the most bytes, or estimated tokens, that a part of a result may have as JSON. Out: envelopes whose every part keeps to it,
 * cut where that breaks nothing: JSON stays JSON, an image is there whole or not at all. What is missing, where and how much of
 * it, stands in `meta.reduced`.
 */
import { CallError } from "../error.js"
import type { MCPResponseMeta, ResponseEnvelope } from "../envelope.js"
import type { Middleware } from "../registry.js"
import { jsonBytes, sizeWithin, utf8Bytes } from "./json_size.js"
import { limitBlocks } from "./limit_blocks.js"
import { reductionsOf } from "./reductions_of.js"
import { META_MEMBERS, isSamePart } from "./result_parts.js"
import { shrink, type Cut } from "./shrink.js"

/** How large a part of a result may be; of several limits the strictest counts. */
export interface ResultLimit {
  /** The most bytes of UTF-8 that a part may have as JSON, at least 4. */
  readonly maxBytes?: number | undefined
  /** The most tokens that a part may have as JSON, by estimate, at least 2. Base64 of images and audio counts like any text. */
  readonly maxTokens?: number | undefined
  /** Estimates the tokens of a text. Default: a token for each three bytes of UTF-8, which is on the high side for most models. */
  readonly estimateTokens?: ((text: string) => number) | undefined
}

const BYTES_PER_TOKEN = 3
/** No estimate of the host's own gives a token more than that on average. */
const MOST_BYTES_PER_TOKEN = 16
/** `null` has four bytes; less cannot be kept. */
const SMALLEST_BYTES = 4
const SMALLEST_TOKENS = 2

/**
 * A middleware that bounds results: `data`, the blocks of an MCP result together, its `structuredContent` and each further member
 * of its `meta` have at most the size given as JSON. Smaller results pass as the same object. A number means `maxBytes`.
 *
 * @throws CallError CONFIGURATION_ERROR where no limit is given, or one is too small to keep.
 */
export function limitResult(limit: number | ResultLimit): Middleware {
  const { maxBytes, tokens } = checked(typeof limit === "number" ? { maxBytes: limit } : limit)
  return async (call, next) => {
    const envelope = await next()
    if (call.ended) return envelope
    let bytes = maxBytes
    for (;;) {
      const small = limitEnvelope(envelope, bytes)
      const most = tokens === undefined || bytes === SMALLEST_BYTES ? 0 : largestTokens(small, tokens.estimate)
      if (tokens === undefined || most <= tokens.max) return small
      // An estimate that is no number leaves nothing to go by.
      const scaled = Number.isFinite(most) ? (bytes * tokens.max) / most : 0
      bytes = Math.max(SMALLEST_BYTES, Math.floor(Math.min(bytes * 0.9, scaled)))
    }
  }
}

/**
 * The envelope with each part cut to `maxBytes`; the same object where nothing is too large.
 */
export function limitEnvelope(envelope: ResponseEnvelope, maxBytes: number): ResponseEnvelope {
  const { data, meta } = envelope
  const cuts: Cut[] = []
  if (meta.source !== "mcp") {
    const small = shrink(data, maxBytes, "/data", cuts) ?? null
    return cuts.length === 0 ? envelope : withCuts({ data: small, meta }, cuts)
  }
  const small = { ...meta, content: limitBlocks(meta.content, maxBytes, "/meta/content", cuts) }
  // Where `data` is the blocks themselves they are cut once, as blocks.
  const isBlocks = meta.dataFrom === "content" && isSamePart(data, meta.content, maxBytes)
  const dataCuts: Cut[] = []
  const smallData = isBlocks ? small.content : (shrink(data, maxBytes, "/data", dataCuts) ?? null)
  cuts.push(...dataCuts, ...limitStructured(small, { data, smallData, dataCuts }, maxBytes))
  for (const member of META_MEMBERS) {
    if (small[member] === undefined || sizeWithin(small[member], maxBytes) <= maxBytes) continue
    cuts.push({ path: `/meta/${member}`, bytes: jsonBytes(small[member]) })
    delete small[member]
  }
  return cuts.length === 0 ? envelope : withCuts({ data: smallData, meta: small }, cuts)
}

/** Cuts `structuredContent` in place; where it is `data`, it stays the same value. */
function limitStructured(small: MCPResponseMeta, done: { data: unknown; smallData: unknown; dataCuts: readonly Cut[] }, maxBytes: number): Cut[] {
  const { structuredContent } = small
  if (structuredContent === undefined) return []
  const base = "/meta/structuredContent"
  if (isSamePart(structuredContent, done.data, maxBytes)) {
    if (done.dataCuts.length > 0) small.structuredContent = done.smallData
    return done.dataCuts.map((cut) => ({ ...cut, path: base + cut.path.slice("/data".length) }))
  }
  const cuts: Cut[] = []
  const part = shrink(structuredContent, maxBytes, base, cuts)
  if (part === undefined) delete small.structuredContent
  else small.structuredContent = part
  return cuts
}

function withCuts({ data, meta }: ResponseEnvelope, cuts: readonly Cut[]): ResponseEnvelope {
  return { data, meta: { ...meta, reduced: [...(meta.reduced ?? []), ...reductionsOf(cuts)] } }
}

function largestTokens({ data, meta }: ResponseEnvelope, estimate: (text: string) => number): number {
  const parts = meta.source === "mcp" ? [data, meta.content, meta.structuredContent, ...META_MEMBERS.map((member) => meta[member])] : [data]
  return Math.max(...parts.map((part) => (part === undefined ? 0 : estimate(JSON.stringify(part)))))
}

function checked({ maxBytes, maxTokens, estimateTokens }: ResultLimit) {
  const bytes = atLeast("maxBytes", maxBytes, SMALLEST_BYTES)
  const max = atLeast("maxTokens", maxTokens, SMALLEST_TOKENS)
  if (max === undefined) {
    if (bytes === undefined) throw new CallError("CONFIGURATION_ERROR", "limitResult was given no limit", { details: { remedy: "give maxBytes or maxTokens" } })
    return { maxBytes: bytes, tokens: undefined }
  }
  const estimate = estimateTokens ?? ((text: string) => Math.ceil(utf8Bytes(text) / BYTES_PER_TOKEN))
  const first = max * (estimateTokens === undefined ? BYTES_PER_TOKEN : MOST_BYTES_PER_TOKEN)
  return { maxBytes: Math.min(bytes ?? Infinity, first), tokens: { max, estimate } }
}

function atLeast(name: string, value: number | undefined, least: number): number | undefined {
  if (value === undefined || value >= least) return value
  throw new CallError("CONFIGURATION_ERROR", `limitResult: ${name} is no number of at least ${String(least)}`, { details: { remedy: `give ${name} as a larger number` } })
}
