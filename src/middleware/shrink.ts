/**
 * Makes a JSON value smaller without breaking it.
 *
 * In: a value and the most bytes its JSON may have. Out: a value of the same shape whose JSON fits (texts cut, items and members
 * left out), and exactly what is gone. The small members of an object are kept before its large ones are shortened: a cursor or
 * a total that stands behind a long list is what its reader needs most.
 * Measuring stops at what fits: a value of strangers may be 512 levels deep, and measuring each level whole would take seconds.
 */
import { jsonBytes, sizeWithin } from "./json_size.js"

/** One thing that was cut: where, how many bytes of JSON are gone, and how many items or members, or characters. */
export interface Cut {
  readonly path: string
  readonly bytes: number
  readonly items?: number
  readonly characters?: number
}

/** Less than this is not worth a part of something. */
const SMALLEST_REST = 16
/** A member of this size, name included, is never shortened for the sake of others. */
const SMALL = 24
/** So many large members of an object share what is left. */
const SHARING = 8

/** The value with at most so many bytes of JSON; undefined where not even an empty one fits. `path` is where it stands. */
export function shrink(value: unknown, maxBytes: number, path: string, cuts: Cut[]): unknown {
  if (sizeWithin(value, maxBytes) <= maxBytes) return value
  if (typeof value === "string" && maxBytes >= 2) return shrinkText(value, maxBytes, path, cuts)
  if (Array.isArray(value) && maxBytes >= 2) return shrinkArray(value, maxBytes, path, cuts)
  if (typeof value === "object" && value !== null && maxBytes >= 2) return shrinkObject(value, maxBytes, path, cuts)
  cuts.push({ path, bytes: jsonBytes(value) })
  return undefined
}

function shrinkText(text: string, maxBytes: number, path: string, cuts: Cut[]): string {
  let low = 0
  let high = Math.min(text.length, maxBytes)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (jsonBytes(whole(text.slice(0, middle))) <= maxBytes) low = middle
    else high = middle - 1
  }
  const kept = whole(text.slice(0, low))
  cuts.push({ path, bytes: jsonBytes(text) - jsonBytes(kept), characters: text.length - kept.length })
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
    const bytes = sizeWithin(list[index], left - comma)
    if (bytes <= left - comma) {
      kept.push(list[index])
      left -= bytes + comma
      continue
    }
    if (left - comma >= SMALLEST_REST) {
      const inner: Cut[] = []
      const part = shrink(list[index], left - comma, `${path}/${String(index)}`, inner)
      if (part !== undefined) {
        kept.push(part)
        cuts.push(...inner)
      }
    }
    break
  }
  const missing = list.length - kept.length
  if (missing > 0) {
    // The two brackets go where something is kept, for which one comma goes as well.
    const bytes = jsonBytes(list.slice(kept.length)) - (kept.length === 0 ? 2 : 1)
    cuts.push({ path: `${path}/${String(kept.length)}`, bytes, items: missing })
  }
  return kept
}

interface Member {
  readonly key: string
  readonly value: unknown
  /** The bytes of its name and colon. */
  readonly head: number
  readonly bytes: number
}

function shrinkObject(value: object, maxBytes: number, path: string, cuts: Cut[]): object {
  const room = maxBytes - 2
  // Any object has members by name.
  const members: Member[] = Object.entries(value as Record<string, unknown>)
    .filter(([, child]) => child !== undefined)
    .map(([key, child]) => ({ key, value: child, head: jsonBytes(key) + 1, bytes: sizeWithin(child, room) }))
  const kept = new Map<string, unknown>()
  let left = room
  const keep = (key: string, part: unknown, bytes: number) => {
    left -= bytes + (kept.size === 0 ? 0 : 1)
    kept.set(key, part)
  }
  const large: Member[] = []
  for (const member of members) {
    const bytes = member.head + member.bytes
    if (bytes > Math.max(SMALL, maxBytes / SHARING)) large.push(member)
    else if (bytes + (kept.size === 0 ? 0 : 1) <= left) keep(member.key, member.value, bytes)
  }
  large.forEach(({ key, value: child, head, bytes }, index) => {
    const share = Math.floor(left / Math.min(large.length - index, SHARING)) - head - (kept.size === 0 ? 0 : 1)
    if (bytes <= share) keep(key, child, head + bytes)
    else if (share >= SMALLEST_REST) {
      const inner: Cut[] = []
      const part = shrink(child, share, `${path}/${escaped(key)}`, inner)
      if (part === undefined) return
      keep(key, part, head + jsonBytes(part))
      cuts.push(...inner)
    }
  })
  const missing = members.filter(({ key }) => !kept.has(key))
  const [first] = missing
  if (first !== undefined) {
    const bytes = missing.reduce((sum, member) => sum + member.head + jsonBytes(member.value) + 1, kept.size === 0 ? -1 : 0)
    cuts.push({ path: missing.length === 1 ? `${path}/${escaped(first.key)}` : path, bytes, items: missing.length })
  }
  return Object.fromEntries(members.flatMap(({ key }) => (kept.has(key) ? [[key, kept.get(key)]] : [])))
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1")
}
