/**
 * What of a value does not fit a schema, in plain words.
 *
 * In: a schema of `FromSchema` or any TypeBox schema, and a value. Out: issues with RFC 6901 pointers, innermost cause first.
 * Schemas of `FromSchema` are asked through their own evaluator, which sees into every node; others through TypeBox's errors.
 */
import type { TSchema } from "@sinclair/typebox"
import type { SchemaIssue } from "./issue.js"
import { recordOf } from "./source_record.js"
import { typeboxIssues } from "./typebox_issues.js"

/** How many issues are worth telling. */
export interface CollectErrorsOptions {
  /** The most issues that are collected; default 100. */
  readonly limit?: number | undefined
}

/**
 * The issues of a value: where (JSON pointer), which keyword, and why in plain words; empty when the value fits.
 *
 * Several faults come together, each with its innermost cause first. Messages show what the schema wants, never the value.
 * It never throws: a value that is nested too deep has that as its issue.
 */
export function collectErrors(schema: TSchema, value: unknown, options: CollectErrorsOptions = {}): SchemaIssue[] {
  const limit = options.limit ?? 100
  const record = recordOf(schema)
  if (record !== undefined) return record.kernel().issues(record.root, value, limit)
  return typeboxIssues(schema, value, limit)
}
