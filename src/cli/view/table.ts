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

/** How wide a column of names has to be, at most half of the screen. */
export function nameWidth(names: readonly string[], { columns }: Screen): number {
  return Math.min(Math.max(0, ...names.map((name) => name.length)), Math.floor(columns / 2))
}

/** Rows as text, indented by two spaces. `widths` are those of all columns but the last, without their gap. */
export function tableView(rows: readonly (readonly string[])[], widths: readonly number[], { columns }: Screen): string {
  if (rows.length === 0) return ""
  const taken = widths.reduce((sum, width) => sum + width + GAP, INDENT)
  const table = new Table({
    chars: { ...NO_BORDERS, middle: "" },
    style: { "padding-left": 0, "padding-right": GAP, head: [], border: [], compact: true },
    colWidths: [...widths.map((width) => width + GAP), Math.max(NARROWEST_LAST, columns - taken)],
    wordWrap: true,
    wrapOnWordBoundary: true,
  })
  // Names are broken anywhere rather than cut: half a name is of no use.
  for (const row of rows) table.push(row.map((content, at) => (at < widths.length ? { content, wrapOnWordBoundary: false } : content)))
  return table
    .toString()
    .split("\n")
    .map((line) => `${" ".repeat(INDENT)}${line}`.trimEnd())
    .join("\n")
}
