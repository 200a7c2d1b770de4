/**
 * Makes a JSON value smaller without breaking it.
 *
 * In: a value and the most bytes its JSON may have. Out: a value of the same shape whose JSON fits (texts cut, items and members
 * left out from the end), and what was taken out where.
 */

/** One thing that was cut: where, and how many bytes of JSON it had that are gone. */
export interface Cut {
  readonly path: string
  readonly bytes: number
}

const SMALLEST_REST = 16

/** The bytes of a value as JSON text in UTF-8. */
export function jsonBytes(value: unknown): number {
  const text = JSON.stringify(value) as string | undefined
  return text === undefined ? 0 : utf8Bytes(text)
}

/** The value with at most so many bytes of JSON; undefined where not even an empty one fits. `path` is where it stands. */
export function shrink(value: unknown, maxBytes: number, path: string, cuts: Cut[]): unknown {
  const bytes = jsonBytes(value)
  if (bytes <= maxBytes) return value
  if (typeof value === "string") return shrinkText(value, bytes, maxBytes, path, cuts)
  if (Array.isArray(value) && maxBytes >= 2) return shrinkArray(value, maxBytes, path, cuts)
  if (typeof value === "object" && value !== null && maxBytes >= 2) return shrinkObject(value, maxBytes, path, cuts)
  cuts.push({ path, bytes })
  return undefined
}

function shrinkText(text: string, bytes: number, maxBytes: number, path: string, cuts: Cut[]): string | undefined {
  if (maxBytes < 2) {
    cuts.push({ path, bytes })
    return undefined
  }
  let low = 0
  let high = Math.min(text.length, maxBytes)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (jsonBytes(whole(text.slice(0, middle))) <= maxBytes) low = middle
    else high = middle - 1
  }
  const kept = whole(text.slice(0, low))
  cuts.push({ path, bytes: bytes - jsonBytes(kept) })
  return kept
}

/** A text that does not end in half a character. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}

function shrinkArray(list: readonly unknown[], maxBytes: number, path: string, cuts: Cut[]): unknown[] {
  const kept: unknown[] = []
  let left = maxBytes - 2
  for (let index = 0; index < list.length; index++) {
    const comma = index === 0 ? 0 : 1
    const bytes = jsonBytes(list[index])
    if (bytes + comma <= left) {
      kept.push(list[index])
      left -= bytes + comma
      continue
    }
    let from = index
    if (left - comma >= SMALLEST_REST) {
      const part = shrink(list[index], left - comma, `${path}/${String(index)}`, cuts)
      if (part !== undefined) {
        kept.push(part)
        from++
      }
    }
    if (from < list.length) cuts.push({ path: `${path}/${String(from)}`, bytes: jsonBytes(list.slice(from)) })
    break
  }
  return kept
}

function shrinkObject(value: object, maxBytes: number, path: string, cuts: Cut[]): object {
  const kept: [string, unknown][] = []
  let left = maxBytes - 2
  for (const [key, child] of Object.entries(value)) {
    const overhead = jsonBytes(key) + 1 + (kept.length === 0 ? 0 : 1)
    const bytes = jsonBytes(child)
    const place = `${path}/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`
    if (overhead + bytes <= left) {
      kept.push([key, child])
      left -= overhead + bytes
    } else if (left - overhead >= SMALLEST_REST) {
      const part = shrink(child, left - overhead, place, cuts)
      if (part === undefined) continue
      kept.push([key, part])
      left -= overhead + jsonBytes(part)
    } else cuts.push({ path: place, bytes: overhead + bytes })
  }
  return Object.fromEntries(kept)
}

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length
}
