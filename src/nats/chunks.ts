/**
 * Messages that are longer than the server takes: cut into parts, and put together again.
 *
 * In: bytes. Out: parts with what their header says, and the whole again.
 * The parts of one message come in order, for each of them goes the same way on one connection; anything else ends the message.
 */
import { Buffer } from "node:buffer"

/** The longest part, in bytes. */
const PART_BYTES = 64 * 1024

/** What the header of a part says. */
export interface PartHeader {
  readonly index: number
  readonly count: number
  /** Bytes of the whole. */
  readonly bytes: number
}

/** The parts of a message, each with its header. */
export function* cut(whole: Uint8Array, limit: number): Generator<{ readonly header: string; readonly bytes: Uint8Array }> {
  const size = Math.min(PART_BYTES, limit)
  const count = Math.ceil(whole.length / size)
  for (let index = 0; index < count; index++) {
    yield { header: `${String(index)}/${String(count)};${String(whole.length)}`, bytes: whole.subarray(index * size, (index + 1) * size) }
  }
}

/** The header of a part; undefined where the text is none. */
export function readPartHeader(text: string): PartHeader | undefined {
  const match = /^(\d{1,7})\/(\d{1,7});(\d{1,12})$/.exec(text)
  if (match === null) return undefined
  const [index = 0, count = 0, bytes = 0] = match.slice(1).map(Number)
  return index < count && count > 1 && bytes >= count ? { index, count, bytes } : undefined
}

/** Puts one message together. Holds no more bytes than its first part announced. */
export class Assembly {
  readonly bytes: number
  readonly #count: number
  readonly #parts: Uint8Array[] = []
  #held = 0

  constructor({ count, bytes }: PartHeader) {
    this.#count = count
    this.bytes = bytes
  }

  /** Takes the next part: the whole when it was the last one, `"more"` before that, `"broken"` where it is not the one that must follow. */
  add(header: PartHeader, part: Uint8Array): Uint8Array | "more" | "broken" {
    this.#held += part.length
    if (header.index !== this.#parts.length || header.count !== this.#count || header.bytes !== this.bytes || this.#held > this.bytes) return "broken"
    // A copy: the bytes of a message are the client library's, and a part may be a view of a much larger buffer.
    this.#parts.push(part.slice())
    if (this.#parts.length < this.#count) return "more"
    return this.#held === this.bytes ? Buffer.concat(this.#parts, this.bytes) : "broken"
  }
}
