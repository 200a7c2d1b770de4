/**
 * How large a value is as JSON, in bytes of UTF-8.
 *
 * In: any value. Out: a number, without the text where the value is too large for it to matter.
 */

const encoder = new TextEncoder()
/** More may be too deep for the stack, and is left to the platform. */
const DEEPEST = 1_000

const BEYOND_ASCII = /[^\u0000-\u007f]/

/** The bytes of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  // Most large results are ASCII, and encoding megabytes only to count them costs more than looking.
  return BEYOND_ASCII.test(text) ? encoder.encode(text).length : text.length
}

/** The bytes of a value as JSON text; 0 for what JSON leaves out. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) as string | undefined // undefined for undefined, whatever the library's type says
  return text === undefined ? 0 : utf8Bytes(text)
}

/** As `jsonBytes`, but some number above `limit` as soon as the value cannot have so few bytes. */
export function sizeWithin(value: unknown, limit: number, depth = 0): number {
  if (typeof value === "string") return value.length > limit ? value.length : jsonBytes(value)
  if (typeof value !== "object" || value === null || "toJSON" in value || depth > DEEPEST) return jsonBytes(value)
  let bytes = 2
  const isList = Array.isArray(value)
  let count = 0
  for (const [key, child] of isList ? value.entries() : Object.entries(value)) {
    if (bytes > limit) return bytes
    if (typeof child === "undefined" || typeof child === "function" || typeof child === "symbol") {
      if (isList) bytes += count++ === 0 ? 4 : 5
      continue
    }
    bytes += (count++ === 0 ? 0 : 1) + (isList ? 0 : jsonBytes(key) + 1)
    if (bytes <= limit) bytes += sizeWithin(child, limit - bytes, depth + 1)
  }
  return bytes
}
