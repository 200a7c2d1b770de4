/**
 * The last bytes that a process wrote to stderr.
 *
 * In: chunks. Out: their end, as text. Keeps a bounded number of bytes however much is written, and a little more than it
 * shows, so that a secret which stands across the edge is still seen whole by the mask.
 */
import type { Mask } from "../mask.js"

const SHOWN = 8 * 1024
const KEPT = 2 * SHOWN

/** A bounded tail of a byte stream. */
export class TextTail {
  private chunks: Buffer[] = []
  private length = 0

  append(chunk: Buffer): void {
    this.chunks.push(chunk.length > KEPT ? Buffer.from(chunk.subarray(chunk.length - KEPT)) : chunk)
    this.length += Math.min(chunk.length, KEPT)
    if (this.length <= 4 * KEPT) return
    const all = Buffer.concat(this.chunks)
    this.chunks = [Buffer.from(all.subarray(all.length - KEPT))]
    this.length = KEPT
  }

  /** The last 8 KiB, without secrets and without a broken first character. */
  text(mask: Mask): string {
    const all = Buffer.concat(this.chunks)
    const masked = mask(all.subarray(Math.max(0, all.length - KEPT)).toString("utf8"))
    const shown = Buffer.from(masked)
    return shown.subarray(Math.max(0, shown.length - SHOWN)).toString("utf8").replace(/^\uFFFD+/, "").trim()
  }
}
