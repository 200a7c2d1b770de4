/**
 * How deep JSON text is nested, before it is parsed.
 *
 * In: the bytes of one message. Out: yes or no. Most messages are cleared by their length or by the number of their opening
 * brackets, which is one cheap pass; only a message with more brackets than the limit is read with strings in mind.
 */

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** True when the arrays and objects of a JSON text stand in each other more than `limit` deep. */
export function isTextDeeperThan(text: Uint8Array, limit: number): boolean {
  // Each level takes two brackets.
  return text.length > 2 * limit && hasMoreOpenings(text, limit) && depthExceeds(text, limit)
}

function hasMoreOpenings(text: Uint8Array, limit: number): boolean {
  let openings = 0
  for (let at = 0; at < text.length; at++) {
    // "[" and "{" differ in this one bit.
    if (((text[at] ?? 0) | 0x20) === OPEN_OBJECT && ++openings > limit) return true
  }
  return false
}

function depthExceeds(text: Uint8Array, limit: number): boolean {
  let depth = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const byte = text[at]
    if (inString) {
      if (byte === BACKSLASH) at++
      else if (byte === QUOTE) inString = false
    } else if (byte === QUOTE) inString = true
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (++depth > limit) return true
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) depth--
  }
  return false
}
