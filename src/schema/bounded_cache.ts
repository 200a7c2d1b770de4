/**
 * A map that forgets what was used longest ago.
 *
 * In: keys and values with a size. Out: the values that still fit. Process-wide caches need a bound: servers change their schemas
 * for as long as a process runs.
 */

/** Keeps at most so many entries, of at most so much size together. */
export class BoundedCache<V> {
  readonly #entries = new Map<string, { value: V; size: number }>()
  #size = 0

  constructor(
    readonly maxEntries: number,
    readonly maxSize: number,
  ) {}

  get(key: string): V | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined) return undefined
    // A Map keeps the order of insertion: the first is the one unused for longest.
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  set(key: string, value: V, size: number): void {
    if (size > this.maxSize) return
    this.#entries.set(key, { value, size })
    this.#size += size
    for (const [oldest, entry] of this.#entries) {
      if (this.#entries.size <= this.maxEntries && this.#size <= this.maxSize) break
      this.#entries.delete(oldest)
      this.#size -= entry.size
    }
  }
}
