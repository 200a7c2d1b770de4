/**
 * The view of issues and changes that an envelope holds: so many of them, and none of them large.
 *
 * In: the full lists of `conform`. Out: the first entries, values over a size as the beginning of their text, and the total
 * where entries were left out. The lists that come in are not touched.
 * A value is written only as far as it is shown, so a change of five megabytes costs no more than one of a kilobyte.
 */
import { jsonBeginning, textBeginning } from "./conform/json_beginning.js"
import { isContainer } from "./conform/member.js"
import type { DataChange } from "./data_change.js"
import type { SchemaIssue } from "./issue.js"

const MAX_ENTRIES = 100
const MAX_BYTES = 1_000
const ELLIPSIS = "… (clipped)"

/** Changes as an envelope shows them. */
export interface ClippedChanges {
  changes: DataChange[]
  /** How many there are, where not all are shown. */
  changesTotal?: number
}

/** Issues as an envelope shows them. */
export interface ClippedIssues {
  issues: SchemaIssue[]
  /** How many there are, where not all are shown. */
  issuesTotal?: number
}

/**
 * The first `limit` changes (default 100). A `from` or `to` whose text (a string itself, else its JSON) is longer than
 * `maxBytes` (UTF-8, default 1,000) becomes a string: the beginning of that text, followed by `… (clipped)`.
 */
export function clipChanges(changes: readonly DataChange[], limit = MAX_ENTRIES, maxBytes = MAX_BYTES): ClippedChanges {
  const shown = changes.slice(0, limit).map((change) => clipChange(change, maxBytes))
  return shown.length < changes.length ? { changes: shown, changesTotal: changes.length } : { changes: shown }
}

/** The first `limit` issues (default 100), their messages cut after `maxBytes` (UTF-8, default 1,000). */
export function clipIssues(issues: readonly SchemaIssue[], limit = MAX_ENTRIES, maxBytes = MAX_BYTES): ClippedIssues {
  const shown = issues.slice(0, limit).map((issue) => ({ ...issue, message: clipText(issue.message, maxBytes) }))
  return shown.length < issues.length ? { issues: shown, issuesTotal: issues.length } : { issues: shown }
}

function clipChange(change: DataChange, maxBytes: number): DataChange {
  const clipped = { ...change }
  if ("from" in clipped) clipped.from = clipValue(clipped.from, maxBytes)
  if ("to" in clipped) clipped.to = clipValue(clipped.to, maxBytes)
  return clipped
}

function clipValue(value: unknown, maxBytes: number): unknown {
  if (typeof value === "string") return clipText(value, maxBytes)
  if (!isContainer(value)) return value
  const { text, isWhole } = jsonBeginning(value, maxBytes)
  return isWhole ? value : `${text}${ELLIPSIS}`
}

function clipText(text: string, maxBytes: number): string {
  const beginning = textBeginning(text, maxBytes)
  return beginning.isWhole ? text : `${beginning.text}${ELLIPSIS}`
}
