/**
 * Parses the text of a message, and notices numbers that parsing may have rounded.
 *
 * In: text of the wire. Out: the parsed value. A result whose text held a run of sixteen digits is remembered by identity, so that only
 * its structured content is ever walked for integers that a double cannot hold: all others cost one look at their text.
 */
const LONG_NUMBER = /\d{16}/
const marked = new WeakSet<object>()

/**
 * The value of a message's text.
 *
 * @throws SyntaxError where it is not JSON.
 */
export function parseMessage(text: string): unknown {
  const parsed: unknown = JSON.parse(text)
  if (LONG_NUMBER.test(text)) {
    for (const message of Array.isArray(parsed) ? (parsed as unknown[]) : [parsed]) markResult(message)
  }
  return parsed
}

/** True for a result in whose message a number may have lost digits. */
export function mayBeRounded(result: object): boolean {
  return marked.has(result)
}

/** A mended copy of a result is as likely to hold such numbers as the one it was made of. */
export function keepRoundedMark<T extends object>(from: object, copy: T): T {
  if (marked.has(from)) marked.add(copy)
  return copy
}

function markResult(message: unknown): void {
  if (typeof message !== "object" || message === null || !("result" in message)) return
  const { result } = message
  if (typeof result === "object" && result !== null) marked.add(result)
}
