/**
 * Writes messages to the connection: whole where the server takes them so, in parts where not, refused above our own limit.
 *
 * In: texts. Out: messages, and a promise where the writer should wait because much is under way. The library's own `publish` throws for
 * a message above the server's limit and never makes anybody wait.
 */
import { Buffer } from "node:buffer"
import type { NATSConnection, NATSHeaders } from "./connection.js"
import { cut } from "./chunks.js"
import { CHUNK_HEADER } from "./headers.js"

/** Below the server's limit there must be room for subject and headers. */
const ROOM_BYTES = 16 * 1024
const SMALLEST_LIMIT = 1024
/** So much may be under way before writers wait for the server to have it. */
const UNFLUSHED_BYTES = 1024 * 1024

/** Headers of a message, by name. */
export type Headers = readonly (readonly [string, string])[]

/** The way out of one transport. */
export class Outlet {
  readonly maxMessageBytes: number
  readonly #connection: NATSConnection
  readonly #headers: () => NATSHeaders
  #unflushed = 0
  #flushing: Promise<void> | undefined
  #letGo: (() => void) | undefined

  constructor(connection: NATSConnection, headers: () => NATSHeaders, maxMessageBytes: number) {
    this.#connection = connection
    this.#headers = headers
    this.maxMessageBytes = maxMessageBytes
  }

  /** Bytes of a body that the server takes in one message. */
  get limit(): number {
    return Math.max(SMALLEST_LIMIT, (this.#connection.info?.max_payload ?? 1024 * 1024) - ROOM_BYTES)
  }

  /** The bytes of a text that is longer than one message may be; undefined where it fits. */
  long(text: string): Uint8Array | undefined {
    const limit = this.limit
    // A character is at most three bytes of UTF-8 for each of its UTF-16 units: most texts need not be measured.
    if (text.length * 3 <= limit || Buffer.byteLength(text) <= limit) return undefined
    return Buffer.from(text)
  }

  /** Sends a text that fits. */
  send(subject: string, text: string, reply?: string, headers?: Headers): void {
    this.#unflushed += text.length
    this.#publish(subject, text, reply, headers)
  }

  /** Sends the parts of a long text, from the given one on. */
  sendParts(subject: string, bytes: Uint8Array, reply: string | undefined, from = 0, to = Infinity): void {
    let index = 0
    for (const part of cut(bytes, this.limit)) {
      if (index >= from && index < to) {
        this.#unflushed += part.bytes.length
        this.#publish(subject, part.bytes, reply, [[CHUNK_HEADER, part.header]])
      }
      index++
    }
  }

  /** Resolves when little is under way; at once where that is so now. */
  room(): Promise<void> {
    if (this.#unflushed < UNFLUSHED_BYTES) return DONE
    this.#flushing ??= new Promise<void>((resolve) => {
      // A flush without a server never ends.
      this.#letGo = resolve
      this.#connection.flush().then(resolve, resolve)
    }).then(() => this.#flushed())
    return this.#flushing
  }

  /** The connection is new or gone: what was under way is lost, and nobody waits for it. */
  reset(): void {
    this.#letGo?.()
    this.#flushed()
  }

  #flushed(): void {
    this.#unflushed = 0
    this.#flushing = undefined
  }

  #publish(subject: string, payload: Uint8Array | string, reply: string | undefined, pairs: Headers | undefined): void {
    // The host may close its connection before what stands on it, and a timer has nobody to throw to.
    if (this.#connection.isClosed()) return
    const options: { reply?: string; headers?: never } = reply === undefined ? {} : { reply }
    if (pairs !== undefined) {
      const headers = this.#headers()
      for (const [name, value] of pairs) headers.set(name, value)
      // The library wants its own class, which this is.
      options.headers = headers as never
    }
    this.#connection.publish(subject, payload, options)
  }
}

const DONE = Promise.resolve()
