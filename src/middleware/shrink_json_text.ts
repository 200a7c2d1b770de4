/**
 * Makes a text shorter that is itself JSON, so that it stays JSON: servers send lists as text.
 *
 * In: a text and the most bytes that it may have as a JSON string. Out: a shorter JSON text, and what is gone in sum; undefined
 * where the text is no JSON list or object, or where writing it anew would change what is kept (numbers that JavaScript cannot
 * hold): it is then cut like any other text.
 */
import { jsonBytes } from "./json_size.js"
import { shrink, type Cut } from "./shrink.js"

const ROUNDS = 8
const SMALLEST = 16
/** Without any of these, inside of texts or not, every number is written back as it stands, or as its equal. */
const DOUBTFUL = /\d{16}|\d[eE][+-]?\d/
/** A text first, so that digits inside of texts are not looked at. */
const TEXT_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

/** A shorter JSON text whose JSON string has at most `maxBytes` bytes, with one cut at `path` that sums up what is gone. */
export function shrinkJSONText(text: string, maxBytes: number, path: string): { readonly text: string; readonly cut: Cut } | undefined {
  const value = parsed(text)
  if (value === undefined) return undefined
  let room = maxBytes
  for (let round = 0; round < ROUNDS && room >= SMALLEST; round++) {
    const cuts: Cut[] = []
    const shorter = JSON.stringify(shrink(value, room, "", cuts))
    const bytes = jsonBytes(shorter)
    if (bytes <= maxBytes) return { text: shorter, cut: { path, bytes: Math.max(0, jsonBytes(text) - bytes), ...sumOf(cuts) } }
    // Quotes inside of a string are escaped; how many there are shows only afterwards.
    room = Math.min(room - 1, Math.floor((room * maxBytes) / bytes))
  }
  return undefined
}

function parsed(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== "object" || value === null) return undefined
    if (!DOUBTFUL.test(text)) return value
    const isExact = (token: string) => token.startsWith('"') || String(Number(token)) === token
    return (text.match(TEXT_OR_NUMBER) ?? []).every(isExact) ? value : undefined
  } catch {
    return undefined
  }
}

function sumOf(cuts: readonly Cut[]): { items?: number; characters?: number } {
  const items = cuts.reduce((sum, cut) => sum + (cut.items ?? 0), 0)
  const characters = cuts.reduce((sum, cut) => sum + (cut.characters ?? 0), 0)
  return { ...(items > 0 ? { items } : {}), ...(characters > 0 ? { characters } : {}) }
}
