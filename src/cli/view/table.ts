/**
 * Rows in aligned columns, the last one wrapped at the width of the screen.
 *
 * In: cells of plain text. Out: lines without borders. The table package measures wide characters and colour codes.
 */
import Table from "cli-table3"
import type { Screen } from "./screen.js"

const NO_BORDERS = Object.fromEntries(
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid"
    .split(" ")
    .map((place) => [place, ""]),
)
const INDENT = 2
const GAP = 2
const NARROWEST_LAST = 24

/** A cell: its text, and the colour that its pieces get once it is known where the text is broken. */
export interface Cell {
  readonly text: string
  readonly paint?: ((text: string) => string) | undefined
}

/** How wide a column of names has to be, at most half of the screen. */
export function nameWidth(names: readonly string[], { columns }: Screen): number {
  return Math.min(Math.max(1, ...names.map(widthOf)), Math.floor(columns / 2))
}

/** Rows as text, indented by two spaces. `widths` are those of all columns but the last, without their gap. */
export function tableView(rows: readonly (readonly Cell[])[], widths: readonly number[], { columns }: Screen): string {
  if (rows.length === 0) return ""
  const taken = widths.reduce((sum, width) => sum + width + GAP, INDENT)
  const table = new Table({
    chars: { ...NO_BORDERS, middle: "" },
    style: { "padding-left": 0, "padding-right": GAP, head: [], border: [], compact: true },
    colWidths: [...widths.map((width) => width + GAP), Math.max(NARROWEST_LAST, columns - taken + GAP)],
    wordWrap: true,
    wrapOnWordBoundary: true,
  })
  for (const row of rows) table.push(row.map((cell, at) => content(cell, widths[at])))
  return table
    .toString()
    .split("\n")
    .map((line) => `${" ".repeat(INDENT)}${line}`.trimEnd())
    .join("\n")
}

/** Names are broken anywhere rather than cut: half a name is of no use. The package would count the codes of colours there. */
function content({ text, paint = asItIs }: Cell, width: number | undefined): string {
  return width === undefined ? paint(text) : pieces(text, width).map(paint).join("\n")
}

function pieces(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ""
  for (const character of text) {
    if (widthOf(line + character) > width) {
      lines.push(line)
      line = ""
    }
    line += character
  }
  return [...lines, line]
}

/** The cells that a text takes on a terminal: two for the wide characters of East Asia and for pictures, none for marks. */
function widthOf(text: string): number {
  let width = 0
  for (const character of text) {
    if (/[\p{Mn}\p{Cf}]/u.test(character)) continue
    width += /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60]/u.test(character) ? 2 : 1
  }
  return width
}

function asItIs(text: string): string {
  return text
}
