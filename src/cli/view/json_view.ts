/**
 * JSON for a reader: what fits on a line stands on one line, everything else is broken and indented.
 *
 * In: a JSON value. Out: text that is still JSON, apart from long texts where clipping is asked for.
 * Each level tries its line within the room that is left and gives up as soon as it is full, so the cost stays near the length
 * of the output.
 */
import { printableJSON } from "./printable.js"
import type { Screen } from "./screen.js"

/** How to lay out. */
export interface JSONViewOptions extends Screen {
  /** Spaces in front of every line but the first. Default 0. */
  readonly indent?: number | undefined
  /** Texts longer than this are cut there, or where the line ends, and their length is said. Default: never. */
  readonly clip?: number | undefined
}

const SHORTEST_CLIP = 16

interface Piece {
  readonly text: string
  readonly length: number
}

/** A JSON value laid out for the width of the screen. */
export function jsonView(value: unknown, options: JSONViewOptions): string {
  const { columns, paint, indent = 0, clip = Infinity } = options

  const scalar = (value: unknown, room = Infinity): Piece => {
    if (typeof value !== "string") {
      // Undefined for what JSON has no word for; declared as always a text.
      const text = (JSON.stringify(value) as string | undefined) ?? "null"
      return { text: paint.notable(text), length: text.length }
    }
    const isLong = value.length > clip
    const rest = isLong ? `… (${value.length.toLocaleString("en")} characters)` : ""
    const text = printableJSON(JSON.stringify(isLong ? value.slice(0, Math.min(clip, Math.max(SHORTEST_CLIP, room - rest.length - 2))) : value))
    return { text: paint.good(text) + (isLong ? paint.faint(rest) : ""), length: text.length + rest.length }
  }
  const keyOf = (name: string): Piece => {
    const text = printableJSON(JSON.stringify(name))
    return { text: `${paint.name(text)}: `, length: text.length + 2 }
  }

  const oneLine = (value: unknown, room: number): Piece | undefined => {
    const inner = entriesOf(value)
    if (inner === undefined) return fitting(scalar(value), room)
    if (inner.length === 0) return fitting({ text: Array.isArray(value) ? "[]" : "{}", length: 2 }, room)
    const isList = Array.isArray(value)
    let text = isList ? "[" : "{ "
    let length = isList ? 2 : 4
    for (const [index, [name, member]] of inner.entries()) {
      const key = name === undefined ? { text: "", length: 0 } : keyOf(name)
      const comma = index === 0 ? 0 : 2
      const piece = oneLine(member, room - length - key.length - comma)
      if (piece === undefined) return undefined
      text += (comma === 0 ? "" : ", ") + key.text + piece.text
      length += comma + key.length + piece.length
    }
    return fitting({ text: text + (isList ? "]" : " }"), length }, room)
  }

  const lines = (value: unknown, depth: number, used: number): string => {
    const inner = entriesOf(value)
    const room = columns - indent - 2 * depth - used - 1
    const flat = oneLine(value, room)
    if (flat !== undefined) return flat.text
    if (inner === undefined) return scalar(value, room).text
    const margin = " ".repeat(indent + 2 * (depth + 1))
    const members = inner.map(([name, member]) => {
      const key = name === undefined ? { text: "", length: 0 } : keyOf(name)
      return `${margin}${key.text}${lines(member, depth + 1, key.length)}`
    })
    const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
    return `${open}\n${members.join(",\n")}\n${" ".repeat(indent + 2 * depth)}${close}`
  }
  return lines(value, 0, 0)
}

/** Names and values of an object, values of a list; undefined for a scalar. Members that JSON leaves out are left out. */
function entriesOf(value: unknown): readonly (readonly [string | undefined, unknown])[] | undefined {
  if (Array.isArray(value)) return value.map((member: unknown) => [undefined, member])
  if (typeof value !== "object" || value === null) return undefined
  return Object.entries(value).filter(([, member]) => member !== undefined)
}

function fitting(piece: Piece, room: number): Piece | undefined {
  return piece.length <= room ? piece : undefined
}
