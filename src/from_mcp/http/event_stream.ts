/**
 * The events of a text/event-stream body, with a limit on the size of each.
 *
 * In: chunks of bytes. Out: events in order; one that is too large comes without its data.
 * Lines are split on bytes and decoded whole, so characters cut by a chunk survive, and each byte is looked at once.
 * Follows https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation.
 */
import { MessageHead } from "./message_head.js"

/** One event. Where it was too large `data` is undefined, and `head` knows whose message it was. */
export interface StreamEvent {
  readonly type: string
  readonly data?: string | undefined
  readonly head?: MessageHead | undefined
  /** The id and the reconnection time that were sent with this event. */
  readonly id?: string | undefined
  readonly retryMs?: number | undefined
}

const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58
const BOM = [0xef, 0xbb, 0xbf]
/** Room for the name of a field, beside its value. */
const FIELD_NAME = 64

/** Splits a stream into events. */
export class EventStream {
  readonly #decoder = new TextDecoder()
  readonly #encoder = new TextEncoder()
  #line: Uint8Array[] = []
  #lineBytes = 0
  /** Takes the rest of a line that is too large to be kept. */
  #swallow: ((part: Uint8Array) => void) | undefined
  #skipLF = false
  #atStart = true
  #data: string[] = []
  #dataBytes = 0
  #fields: { type?: string; id?: string; retryMs?: number; head?: MessageHead } = {}

  constructor(
    private readonly maxDataBytes: number,
    private readonly onEvent: (event: StreamEvent) => void,
    /** Told at once when an event turns out to be too large. */
    private readonly onOverflow: (head: MessageHead) => void = () => undefined,
  ) {}

  feed(chunk: Uint8Array): void {
    if (chunk.length === 0) return
    let from = this.#skipLF && chunk[0] === LF ? 1 : 0
    this.#skipLF = chunk.at(-1) === CR
    // A search result is kept until it is passed: searching for both anew at every line would be quadratic.
    let lf = chunk.indexOf(LF, from)
    let cr = chunk.indexOf(CR, from)
    while (lf >= 0 || cr >= 0) {
      const end = cr >= 0 && (lf < 0 || cr < lf) ? cr : lf
      this.#append(chunk.subarray(from, end))
      this.#endLine()
      from = end === cr && chunk[end + 1] === LF ? end + 2 : end + 1
      if (lf >= 0 && lf < from) lf = chunk.indexOf(LF, from)
      if (cr >= 0 && cr < from) cr = chunk.indexOf(CR, from)
    }
    this.#append(chunk.subarray(from))
  }

  #append(part: Uint8Array): void {
    if (this.#swallow !== undefined) return this.#swallow(part)
    if (part.length === 0) return
    this.#line.push(part)
    this.#lineBytes += part.length
    if (this.#lineBytes + this.#dataBytes <= this.maxDataBytes + FIELD_NAME) return
    const { name, value } = fieldOf(this.#takeLine())
    if (name === "data") this.#passOver(value)
    this.#swallow = name === "data" ? (rest) => this.#fields.head?.feed(rest) : () => undefined
  }

  #endLine(): void {
    if (this.#swallow !== undefined) {
      this.#swallow = undefined
      return
    }
    const line = this.#takeLine()
    if (line.length === 0) this.#dispatch()
    else this.#field(line)
  }

  #takeLine(): Uint8Array {
    const [only] = this.#line
    const line = this.#line.length === 1 && only !== undefined ? only : Buffer.concat(this.#line)
    this.#line = []
    this.#lineBytes = 0
    if (!this.#atStart) return line
    this.#atStart = false
    return BOM.every((byte, at) => line[at] === byte) ? line.subarray(BOM.length) : line
  }

  #field(line: Uint8Array): void {
    const { name, value } = fieldOf(line)
    if (name === "data") {
      if (this.#fields.head !== undefined || this.#dataBytes + value.length > this.maxDataBytes) return this.#passOver(value)
      this.#dataBytes += value.length
      this.#data.push(this.#decoder.decode(value))
      return
    }
    const text = this.#decoder.decode(value)
    if (name === "event") this.#fields.type = text
    else if (name === "id" && !text.includes("\0")) this.#fields.id = text
    else if (name === "retry" && /^\d{1,9}$/.test(text)) this.#fields.retryMs = Number(text)
  }

  /** Keeps nothing of the event's data from here on, but looks whose message it is. */
  #passOver(value: Uint8Array): void {
    const first = this.#fields.head === undefined
    const head = (this.#fields.head ??= new MessageHead())
    for (const text of this.#data) head.feed(this.#encoder.encode(text))
    this.#data = []
    this.#dataBytes = 0
    head.feed(value)
    if (first) this.onOverflow(head)
  }

  #dispatch(): void {
    const { type = "", ...fields } = this.#fields
    const data = this.#data
    this.#fields = {}
    this.#data = []
    this.#dataBytes = 0
    if (data.length === 0 && Object.keys(fields).length === 0) return
    this.onEvent({ type: type === "" ? "message" : type, ...(fields.head === undefined && { data: data.join("\n") }), ...fields })
  }
}

function fieldOf(line: Uint8Array): { name: string; value: Uint8Array } {
  const colon = line.subarray(0, FIELD_NAME).indexOf(COLON)
  const name = new TextDecoder().decode(line.subarray(0, colon < 0 ? FIELD_NAME : colon))
  if (colon < 0) return { name, value: new Uint8Array() }
  return { name, value: line.subarray(line[colon + 1] === SPACE ? colon + 2 : colon + 1) }
}
