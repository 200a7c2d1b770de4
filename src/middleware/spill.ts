/**
 * Puts large parts of results aside and leaves a handle.
 *
 * In: a store and what is large. Out: envelopes that hold the beginning of each large part, and in `meta.reduced` the handle
 * under which the whole of it can be had. A part is taken out only after the store has it; what the store refuses follows one
 * rule that the host chooses.
 */
import { CallError } from "../error.js"
import type { MCPContentBlock, Reduction, ResponseEnvelope } from "../envelope.js"
import type { Middleware } from "../registry.js"
import { jsonBytes, sizeWithin } from "./json_size.js"
import { limitBlock, limitBlocks } from "./limit_blocks.js"
import { limitEnvelope } from "./limit_result.js"
import { META_MEMBERS, isSamePart } from "./result_parts.js"
import { shrink } from "./shrink.js"
import type { SpillStore } from "./spill_store.js"

/** What is put aside, and what happens where that fails. */
export interface SpillOptions {
  /** Parts with more bytes of JSON than this are put aside. Default 16 KiB. */
  readonly maxBytes?: number | undefined
  /** So many bytes of such a part stay in the result, as a beginning that is whole JSON. Default 1,024, and never above `maxBytes`. */
  readonly previewBytes?: number | undefined
  /**
   * What becomes of a result whose part the store does not take: `"limit"` (default) gives it cut to `maxBytes`, as `limitResult`
   * does, with `meta.reduced` saying what is missing; `"error"` rejects with RESOURCE_EXHAUSTED, outcome unknown: the work was
   * done, and its result is gone.
   */
  readonly onStoreFailure?: "limit" | "error" | undefined
}

const LONGEST_HANDLE = 512
const SMALLEST_BYTES = 64

/**
 * A middleware that puts large parts into a store: `data`, each content block, `structuredContent` and the further members of
 * `meta`. An image, a sound or a blob leaves a line of text in its place. Parts are stored as this middleware sees them: one
 * that redacts has to stand further inside (used later).
 *
 * @throws CallError CONFIGURATION_ERROR where `maxBytes` is below 64.
 */
export function spill(store: SpillStore, options: SpillOptions = {}): Middleware {
  const { maxBytes = 16 * 1024, onStoreFailure = "limit" } = options
  if (!(maxBytes >= SMALLEST_BYTES)) {
    throw new CallError("CONFIGURATION_ERROR", `spill: maxBytes is no number of at least ${String(SMALLEST_BYTES)}`, { details: { remedy: "give maxBytes as a larger number" } })
  }
  const previewBytes = Math.max(4, Math.min(options.previewBytes ?? 1024, maxBytes))
  return async (call, next) => {
    const envelope = await next()
    if (call.ended) return envelope
    try {
      return await new Spilling(store, call.id, maxBytes, previewBytes).run(envelope)
    } catch (cause) {
      if (onStoreFailure === "limit") return limitEnvelope(envelope, maxBytes)
      throw new CallError("RESOURCE_EXHAUSTED", `A large part of the result of "${call.id}" could not be put aside`, {
        details: { operationId: call.id, limit: maxBytes, outcome: "unknown" },
        cause,
      })
    }
  }
}

/** One envelope on its way into the store. */
class Spilling {
  private readonly reduced: Reduction[] = []

  constructor(
    private readonly store: SpillStore,
    private readonly operationId: string,
    private readonly maxBytes: number,
    private readonly previewBytes: number,
  ) {}

  async run(envelope: ResponseEnvelope): Promise<ResponseEnvelope> {
    const { data, meta } = envelope
    if (meta.source !== "mcp") {
      const small = await this.value(data, "/data")
      return this.reduced.length === 0 ? envelope : { data: small, meta: { ...meta, reduced: this.all(meta.reduced) } }
    }
    const small = { ...meta, content: await this.blocks(meta.content) }
    const isBlocks = meta.dataFrom === "content" && isSamePart(data, meta.content, this.maxBytes)
    const before = this.reduced.length
    const smallData = isBlocks ? small.content : await this.value(data, "/data")
    if (meta.structuredContent !== undefined) {
      if (isSamePart(meta.structuredContent, data, this.maxBytes)) {
        const [spilled] = this.reduced.slice(before)
        if (spilled !== undefined) {
          // One part in the store for both places.
          small.structuredContent = smallData
          this.reduced.push({ ...spilled, path: "/meta/structuredContent" })
        }
      } else small.structuredContent = await this.value(meta.structuredContent, "/meta/structuredContent")
    }
    for (const member of META_MEMBERS) {
      if (small[member] === undefined || sizeWithin(small[member], this.maxBytes) <= this.maxBytes) continue
      await this.put(small[member], `/meta/${member}`)
      delete small[member]
    }
    return this.reduced.length === 0 ? envelope : { data: smallData, meta: { ...small, reduced: this.all(meta.reduced) } }
  }

  /** The value, or its beginning where it was put aside. */
  private async value(value: unknown, path: string): Promise<unknown> {
    if (sizeWithin(value, this.maxBytes) <= this.maxBytes) return value
    await this.put(value, path)
    return shrink(value, this.previewBytes, path, []) ?? null
  }

  /** Each large block by itself; where the rest is still too much, the whole list besides. Places stay what they were. */
  private async blocks(blocks: MCPContentBlock[]): Promise<MCPContentBlock[]> {
    if (sizeWithin(blocks, this.maxBytes) <= this.maxBytes) return blocks
    const small: MCPContentBlock[] = []
    for (const [index, block] of blocks.entries()) {
      if (sizeWithin(block, this.maxBytes) <= this.maxBytes) {
        small.push(block)
        continue
      }
      const path = `/meta/content/${String(index)}`
      const handle = await this.put(block, path)
      small.push(limitBlock(block, this.previewBytes, path, []) ?? { type: "text", text: placeholder(block, handle) })
    }
    if (sizeWithin(small, this.maxBytes) <= this.maxBytes) return small
    await this.put(blocks, "/meta/content")
    return limitBlocks(small, this.maxBytes, "/meta/content", [])
  }

  private async put(value: unknown, path: string): Promise<string> {
    const bytes = jsonBytes(value)
    const handle: unknown = await this.store.put({ operationId: this.operationId, path, value, bytes })
    if (typeof handle !== "string" || handle === "" || handle.length > LONGEST_HANDLE) throw new TypeError("the store gave no handle")
    this.reduced.push({ by: "spill", path, bytes, handle })
    return handle
  }

  private all(before: readonly Reduction[] = []): Reduction[] {
    return [...before, ...this.reduced]
  }
}

/** What stands in the place of a block of which half would be nothing. */
function placeholder(block: MCPContentBlock, handle: string): string {
  const mediaType = "mimeType" in block ? block.mimeType : block.type === "resource" ? block.resource.mimeType : undefined
  const kind = [block.type.replace("_", " "), mediaType?.slice(0, 100)].filter((word) => word !== undefined).join(" ")
  return `[${kind} of ${String(jsonBytes(block))} bytes, kept under the handle ${JSON.stringify(handle)}]`
}
