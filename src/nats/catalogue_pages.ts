/**
 * The pages of a worker's catalogue, as texts.
 *
 * In: an identity and where it left off. Out: the wire forms that follow, in the order of their ids, at most 256 kB together; one that
 * is larger stands alone, and one that no message can hold is named among `skipped`.
 * A cursor is bound to the hash of the whole: after a change it leads to an empty page of the new hash, and the reader starts over.
 */
import { Buffer } from "node:buffer"
import { CallError } from "../error.js"
import { operationId, specToJSON, type Identity, type OperationSpec } from "../operation.js"
import type { Exposed } from "./exposed.js"

const PAGE_BYTES = 256 * 1024
/** What a page holds beside its operations: hash, worker, cursor. */
const FRAME_BYTES = 4 * 1024
/** Readers page one after the other; a list is kept for so many of them. */
const KEPT_LISTS = 16

interface Entry {
  readonly id: string
  readonly spec: OperationSpec
}

/** The catalogue of one worker. */
export class CataloguePages {
  readonly #exposed: Exposed
  readonly #worker: string
  readonly #lists = new Map<string, { readonly hash: string; readonly entries: readonly Entry[] }>()

  constructor(exposed: Exposed, worker: string) {
    this.#exposed = exposed
    this.#worker = worker
  }

  /** The page after a cursor, or the first one, as JSON of at most `maxBytes`. */
  async page(identity: Identity, cursor: string | undefined, maxBytes: number): Promise<string> {
    const after = cursor === undefined ? undefined : readCursor(cursor)
    const isStale = cursor !== undefined && after?.hash !== this.#exposed.hash
    if (isStale) return JSON.stringify({ v: 1, worker: this.#worker, hash: this.#exposed.hash, operations: [] })
    const { hash, entries } = await this.#listFor(identity, after !== undefined)
    return this.#write(hash, entries, after === undefined ? 0 : firstAfter(entries, after.id), maxBytes - FRAME_BYTES)
  }

  /** What the identity sees. A list that was made for the first page serves the others, so that paging costs one look at everybody's rights. */
  async #listFor(identity: Identity, goesOn: boolean): Promise<{ readonly hash: string; readonly entries: readonly Entry[] }> {
    const key = JSON.stringify([identity.id, identity.scopes, identity.resources])
    const kept = this.#lists.get(key)
    if (goesOn && kept?.hash === this.#exposed.hash) return kept
    for (let attempt = 0; attempt < 5; attempt++) {
      const before = this.#exposed.hash
      const specs = await this.#exposed.visibleTo(identity)
      // What was seen before a change must not go out under the hash of after it.
      if (this.#exposed.hash !== before) continue
      const entries = specs.map((spec) => ({ id: operationId(spec), spec })).sort((one, other) => (one.id < other.id ? -1 : one.id > other.id ? 1 : 0))
      const list = { hash: before, entries }
      this.#lists.delete(key)
      this.#lists.set(key, list)
      if (this.#lists.size > KEPT_LISTS) this.#lists.delete(this.#lists.keys().next().value ?? "")
      return list
    }
    throw new CallError("RESOURCE_EXHAUSTED", `"${this.#worker}" changes faster than its catalogue can be read`, { details: { outcome: "not_started" } })
  }

  #write(hash: string, entries: readonly Entry[], from: number, maxBytes: number): string {
    const texts: string[] = []
    const skipped: { operationId: string; bytes: number }[] = []
    let bytes = 0
    let at = from
    for (; at < entries.length; at++) {
      // The loop's bound is what makes it one.
      const { id, spec } = entries[at] as Entry
      const text = JSON.stringify(specToJSON(spec))
      const size = Buffer.byteLength(text) + 1
      const isGiant = size > maxBytes
      const cost = isGiant ? Buffer.byteLength(JSON.stringify(id)) + 64 : size
      if (bytes > 0 && bytes + cost > Math.min(PAGE_BYTES, maxBytes)) break
      if (isGiant) skipped.push({ operationId: id, bytes: size })
      else texts.push(text)
      bytes += cost
    }
    const last = entries[at - 1]
    const head = JSON.stringify({ v: 1, worker: this.#worker, hash }).slice(0, -1)
    const more = skipped.length === 0 ? "" : `,"skipped":${JSON.stringify(skipped)}`
    const next = at < entries.length && last !== undefined ? `,"next":${JSON.stringify(`${hash}:${last.id}`)}` : ""
    return `${head},"operations":[${texts.join(",")}]${more}${next}}`
  }
}

/** By the id and not by a number: what an identity sees may change while the hash stays. */
function readCursor(cursor: string): { hash: string; id: string } | undefined {
  const colon = cursor.indexOf(":")
  return colon === -1 ? undefined : { hash: cursor.slice(0, colon), id: cursor.slice(colon + 1) }
}

function firstAfter(entries: readonly Entry[], id: string): number {
  let [low, high] = [0, entries.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((entries[middle]?.id ?? "") <= id) low = middle + 1
    else high = middle
  }
  return low
}
