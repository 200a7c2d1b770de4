/**
 * Says in one line what was taken out of a result, for whoever reads the result and not its `meta`: a model, a person.
 *
 * In: `meta.reduced`. Out: a text without any of what was taken out. Redacted values are not counted: their mark stands in place.
 */
import type { Reduction } from "./reduction.js"

const SHOWN = 10

/**
 * One line such as `[left out: 88 items at /data/items/12 (4096 bytes)]`; empty where nothing was taken out. At most ten
 * places are named. What `structuredContent` lacks in the same way as `data` is told once.
 */
export function describeReductions(reduced: readonly Reduction[] | undefined): string {
  const told = (reduced ?? []).filter(({ by, path }) => (by === "limit" || by === "spill") && !path.startsWith("/meta/structuredContent"))
  if (told.length === 0) return ""
  const more = told.length > SHOWN ? [`and ${String(told.length - SHOWN)} places more`] : []
  return `[left out: ${[...told.slice(0, SHOWN).map(describe), ...more].join("; ")}]`
}

function describe({ path, bytes, items, characters, handle }: Reduction): string {
  const place = path === "" ? "elsewhere" : path
  const counts = [counted(items, "item"), counted(characters, "character")].filter((text) => text !== "")
  const what = counts.length === 0 ? place : `${counts.join(" and ")} ${path === "" ? place : items === undefined ? `of ${place}` : `at ${place}`}`
  const size = bytes === undefined ? "" : ` (${counted(bytes, "byte")})`
  return `${what}${size}${handle === undefined ? "" : `, kept under the handle ${JSON.stringify(handle)}`}`
}

function counted(count: number | undefined, unit: string): string {
  return count === undefined ? "" : `${String(count)} ${unit}${count === 1 ? "" : "s"}`
}
