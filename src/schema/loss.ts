/**
 * What of a schema is not enforced, and why.
 *
 * In: the places that a conversion had to give up. Out: a list without repetitions. Decides nothing itself.
 */

/** One part of a schema that counts as unknown. */
export interface SchemaLoss {
  /** RFC 6901 JSON pointer into the schema it was made from; `""` is the root. Parts of a remote schema start with its URI and `#`. */
  readonly pointer: string
  /** The keyword that is not enforced, or the limit that was passed (`depth`, `nodes`). */
  readonly keyword: string
  /** Why, in plain words. */
  readonly reason: string
}

const MAX_LOSSES = 1_000

/** Collects losses of one document; the same keyword at the same place is noted once. */
export class LossList {
  readonly entries: SchemaLoss[] = []
  readonly #seen = new Set<string>()

  add(pointer: string, keyword: string, reason: string): void {
    const key = `${keyword} ${pointer}`
    if (this.#seen.has(key) || this.entries.length >= MAX_LOSSES) return
    this.#seen.add(key)
    this.entries.push({ pointer, keyword, reason })
  }
}
