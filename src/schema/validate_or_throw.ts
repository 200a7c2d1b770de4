/**
 * A check that throws the library's error.
 *
 * In: a schema, a value, and what the value is called. Out: nothing, or a CallError with the issues. The message names places, never
 * values: an argument may be a secret.
 */
import type { TSchema } from "@sinclair/typebox"
import { CallError } from "../error.js"
import { collectErrors } from "./collect_errors.js"
import { compile } from "./compile.js"
import type { SchemaIssue } from "./issue.js"

/** Issues told in the message; the rest is in `details.issues`. */
const TOLD = 5

/**
 * Returns when the value fits the schema.
 *
 * `what` names the value in the message, for instance `the input of "files.read"`.
 *
 * @throws CallError VALIDATION_ERROR, its `details.issues` the first 100 issues.
 */
export function validateOrThrow(schema: TSchema, value: unknown, what: string): void {
  if (compile(schema)(value)) return
  const issues = collectErrors(schema, value)
  throw new CallError("VALIDATION_ERROR", `${what} does not fit its schema: ${told(issues)}`, { details: { issues } })
}

function told(issues: readonly SchemaIssue[]): string {
  if (issues.length === 0) return "the value is refused"
  const first = issues.slice(0, TOLD).map(({ path, message }) => `${path === "" ? "the value" : path} ${message}`)
  const more = issues.length - first.length
  return more > 0 ? `${first.join("; ")}; and ${more} more` : first.join("; ")
}
