/**
 * A failure for a reader: what happened, where, and what to do about it.
 *
 * In: a CallError. Out: lines for stderr. The message is written for people already; of the details only those are shown that
 * a person can act on.
 */
import type { CallError } from "../../error.js"
import { printable, printableLine } from "./printable.js"
import type { Screen } from "./screen.js"

/** The error as text. */
export function errorView({ code, message, details }: CallError, { paint }: Screen): string {
  const lines = [`${paint.bad("error")}  ${printable(message)} ${paint.faint(`(${code})`)}`]
  for (const issue of issuesOf(details["issues"])) {
    if (!message.includes(issue.message)) lines.push(`  ${paint.name(printableLine(issue.path) || "/")}  ${printableLine(issue.message)}`)
  }
  const stderr = typeof details["stderr"] === "string" ? details["stderr"].trimEnd() : ""
  if (stderr !== "") lines.push(paint.faint("the server wrote:"), ...printable(stderr).split("\n").slice(-20).map((line) => `  ${line}`))
  if (typeof details["remedy"] === "string") lines.push(`${paint.good("try")}    ${printable(details["remedy"])}`)
  return lines.join("\n")
}

function issuesOf(issues: unknown): { path: string; message: string }[] {
  if (!Array.isArray(issues)) return []
  return issues.flatMap((issue: unknown) => {
    if (typeof issue !== "object" || issue === null) return []
    const { path, message } = issue as { path?: unknown; message?: unknown } // Looked at before they are used.
    return typeof path === "string" && typeof message === "string" ? [{ path, message }] : []
  })
}
