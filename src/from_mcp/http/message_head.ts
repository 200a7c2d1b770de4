/**
 * Whose message it is, read from one that is too large to be kept.
 *
 * In: the bytes of a JSON-RPC message, in parts. Out: its `id`, and whether it is a request or a notification.
 * Servers write the id before or behind a result of any size, so the whole message has to be walked through; nothing of it is
 * kept but the members of the outermost object that are asked for.
 */

const LONGEST_TOKEN = 256
const QUOTE = 34
const COMMA = 44
const COLON = 58
const OPENING = new Set([91, 123])
const CLOSING = new Set([93, 125])
const BACKSLASH = 92

/** Reads the outermost members of one message. */
export class MessageHead {
  /** True once a member `method` was seen: the message is a request or a notification, not an answer. */
  isCall = false
  #depth = 0
  #inString = false
  #escaped = false
  #expectsKey = false
  #key = ""
  #token: number[] | undefined
  #id: unknown

  /** The id, where the message has one. */
  get id(): string | number | undefined {
    return typeof this.#id === "string" || typeof this.#id === "number" ? this.#id : undefined
  }

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#inString) this.#inText(byte)
      else if (byte === QUOTE) this.#startText()
      else if (OPENING.has(byte)) {
        if (++this.#depth === 1) this.#expectsKey = true
      } else if (CLOSING.has(byte)) {
        if (this.#depth-- === 1) this.#endValue()
      } else if (this.#depth === 1 && byte === COMMA) this.#endValue()
      else if (this.#depth === 1 && byte === COLON) this.#startValue()
      else this.#keep(byte)
    }
  }

  #inText(byte: number): void {
    this.#keep(byte)
    if (this.#escaped) this.#escaped = false
    else if (byte === BACKSLASH) this.#escaped = true
    else if (byte === QUOTE) {
      this.#inString = false
      if (this.#depth === 1 && this.#expectsKey) this.#key = String(this.#takeToken())
    }
  }

  #startText(): void {
    this.#inString = true
    if (this.#depth === 1 && this.#expectsKey) this.#token = []
    this.#keep(QUOTE)
  }

  #startValue(): void {
    this.#expectsKey = false
    if (this.#key === "method") this.isCall = true
    if (this.#key === "id") this.#token = []
  }

  #endValue(): void {
    if (this.#token !== undefined) this.#id = this.#takeToken()
    this.#key = ""
    this.#expectsKey = true
  }

  #keep(byte: number): void {
    if (this.#token !== undefined && this.#token.length < LONGEST_TOKEN) this.#token.push(byte)
  }

  #takeToken(): unknown {
    const text = new TextDecoder().decode(Uint8Array.from(this.#token ?? []))
    this.#token = undefined
    try {
      return JSON.parse(text)
    } catch {
      // A token that is cut off at its greatest length, or no JSON at all.
      return undefined
    }
  }
}
