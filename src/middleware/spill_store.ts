/**
 * Where large parts of results are put aside, and a store for it in memory.
 *
 * A store knows parts and handles, and nothing of envelopes. Its contract is a test suite, test/contract/spill_store.ts: handles
 * tell nothing of what they stand for and cannot be guessed, a part comes back as it went in.
 */
import { CallError } from "../error.js"
import { jsonBytes } from "./json_size.js"

/** A part of a result that is put aside. */
export interface SpilledPart {
  readonly operationId: string
  /** Where it stood: a JSON pointer into the envelope. */
  readonly path: string
  /** The part itself, a JSON value: `data`, a content block, or a member of `meta`. */
  readonly value: unknown
  /** Its size as JSON. */
  readonly bytes: number
}

/** Keeps parts under handles. Two parts never share a handle, and who has no handle gets nothing. */
export interface SpillStore {
  /** Takes a part; gives its handle, of 1 to 512 characters. A rejection means that it was not taken. */
  put(part: SpilledPart): Promise<string>
  /** The part of a handle; undefined for a handle that is not known, or no longer. */
  get(handle: string): Promise<SpilledPart | undefined>
}

/** How much a store in memory keeps. */
export interface MemorySpillStoreOptions {
  /** The most bytes of JSON in all; the oldest parts make room for new ones. Default 64 MiB. */
  readonly maxBytes?: number | undefined
}

/** A store in the memory of this process. A part larger than the whole store is refused with RESOURCE_EXHAUSTED. */
export function memorySpillStore({ maxBytes = 64 * 1024 * 1024 }: MemorySpillStoreOptions = {}): SpillStore {
  // As text: what is kept must not change with the envelope that it came from.
  const parts = new Map<string, { readonly text: string; readonly bytes: number }>()
  let total = 0
  return {
    async put(part) {
      const bytes = jsonBytes(part)
      if (bytes > maxBytes) {
        throw new CallError("RESOURCE_EXHAUSTED", `A part of ${String(bytes)} bytes is larger than the store`, { details: { limit: maxBytes, value: bytes } })
      }
      for (const [oldest, kept] of parts) {
        if (total + bytes <= maxBytes) break
        parts.delete(oldest)
        total -= kept.bytes
      }
      const handle = crypto.randomUUID()
      parts.set(handle, { text: JSON.stringify(part), bytes })
      total += bytes
      return handle
    },
    async get(handle) {
      const kept = parts.get(handle)
      // What was written here is a part.
      return kept === undefined ? undefined : (JSON.parse(kept.text) as SpilledPart)
    },
  }
}
