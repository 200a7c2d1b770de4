/**
 * Cuts a byte stream into lines.
 *
 * In: chunks as they are read. Out: one call for each line, its bytes without the line break. Works on bytes and never decodes:
 * a character may stand across two chunks. Each byte of a long line is looked at and copied once, so a line of many chunks
 * costs linear time. Of a line above the limit nothing is kept but whose message it was.
 */
import { MessageHead } from "../http/message_head.js"

const NEWLINE = 0x0a
const RETURN = 0x0d

/** Where the lines go. */
export interface LineSink {
  line(bytes: Buffer): void
  /** A line of more bytes than the limit; `head` says whose message it was. */
  overlong(head: MessageHead, bytes: number): void
}

/** Cuts chunks into lines of at most `maxBytes`. */
export class LineSplitter {
  private parts: Buffer[] = []
  private length = 0
  private head: MessageHead | undefined

  constructor(
    private readonly maxBytes: number,
    private readonly sink: LineSink,
  ) {}

  push(chunk: Buffer): void {
    let from = 0
    for (;;) {
      const end = chunk.indexOf(NEWLINE, from)
      if (end < 0) break
      this.finish(chunk.subarray(from, end))
      from = end + 1
    }
    if (from < chunk.length) this.keep(from === 0 ? chunk : chunk.subarray(from))
  }

  /** The stream has ended: what stands after the last line break is a line too. */
  end(): void {
    if (this.length > 0) this.finish(Buffer.alloc(0))
  }

  private finish(last: Buffer): void {
    if (this.length === 0 && last.length <= this.maxBytes) {
      this.emit(last)
      return
    }
    this.keep(last)
    const { parts, length, head } = this
    this.parts = []
    this.length = 0
    this.head = undefined
    if (head === undefined) this.emit(Buffer.concat(parts, length))
    else this.sink.overlong(head, length)
  }

  private keep(part: Buffer): void {
    this.length += part.length
    if (this.head === undefined) {
      this.parts.push(part)
      if (this.length <= this.maxBytes) return
      this.head = new MessageHead()
      for (const kept of this.parts) this.head.feed(kept)
      this.parts = []
    } else this.head.feed(part)
  }

  private emit(line: Buffer): void {
    const length = line.length > 0 && line[line.length - 1] === RETURN ? line.length - 1 : line.length
    if (length > 0) this.sink.line(length === line.length ? line : line.subarray(0, length))
  }
}
