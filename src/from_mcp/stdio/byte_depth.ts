/**
 * How deep JSON text is nested, before anybody walks through it.
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
/** "[" and "{" differ in this one bit. */
const CASE_BIT = 0x20

/** True when the arrays and objects of a JSON text stand in each other more than `limit` deep. */
export function isTextDeeperThan(text: Uint8Array, limit: number): boolean {
  // Each level takes two brackets.
  return text.length > 2 * limit && hasMoreOpenings(text, limit) && depthExceeds(text, limit)
}

/** Counts four bytes at a time: this runs over every message of some length, and takes a third of the time so. */
function hasMoreOpenings(text: Uint8Array, limit: number): boolean {
  const lead = (4 - (text.byteOffset & 3)) & 3
  const words = new Uint32Array(text.buffer, text.byteOffset + lead, (text.length - lead) >> 2)
  let openings = openingsIn(text, 0, lead) + openingsIn(text, lead + 4 * words.length, text.length)
  for (let at = 0; at < words.length; at++) {
    // A byte of `bits` is zero where the text has a bracket; the rest finds zero bytes, now and then one too many.
    const bits = ((words[at] ?? 0) | 0x20202020) ^ 0x7b7b7b7b
    if (((bits - 0x01010101) & ~bits & 0x80808080) === 0) continue
    const start = lead + 4 * at
    openings += openingsIn(text, start, start + 4)
    if (openings > limit) return true
  }
  return openings > limit
}

function openingsIn(text: Uint8Array, from: number, to: number): number {
  let openings = 0
  for (let at = from; at < to; at++) if (((text[at] ?? 0) | CASE_BIT) === OPEN_OBJECT) openings++
  return openings
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
