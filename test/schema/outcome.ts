/**
 * Rows of a table of values that do not fit, and what each policy has to make of them.
 */
import type { TSchema } from "@sinclair/typebox"
import { expect, test } from "vitest"
import { conform, type ConformPolicy, type DataChange } from "../../src/schema.js"

export const added = (path: string, to: unknown, origin: "default" | "invented" = "invented"): DataChange => ({ path, kind: "added", to, origin })
export const removed = (path: string, from: unknown): DataChange => ({ path, kind: "removed", from })
export const replaced = (path: string, from: unknown, to: unknown): DataChange => ({ path, kind: "replaced", from, to })

/** What a policy gives: new data with the changes that lead there, or `invalid` with data as sent, or `exact`. */
type Outcome = "exact" | "invalid" | { data: unknown; changes: DataChange[] }

export interface Row {
  what: string
  schema: TSchema
  sent: unknown
  cast: Outcome
  repair: Outcome
}

/** One test for each row: what cast, repair and raw give, and that the sent value is left alone. */
export function testRows(rows: readonly Row[]): void {
  for (const { what, schema, sent, cast, repair } of rows) {
    test(what, () => {
      const before = structuredClone(sent)
      expectOutcome("cast", schema, sent, cast)
      expectOutcome("repair", schema, sent, repair)
      expectOutcome("raw", schema, sent, cast === "exact" ? "exact" : "invalid")
      expect(sent).toStrictEqual(before)
    })
  }
}

function expectOutcome(policy: ConformPolicy, schema: TSchema, sent: unknown, expected: Outcome): void {
  const { data, conformance, issues, changes } = conform(schema, sent, policy)
  if (typeof expected === "object") {
    expect({ data, conformance, changes }).toStrictEqual({ data: expected.data, conformance: "cast", changes: expected.changes })
    expect(issues).not.toHaveLength(0)
    return
  }
  expect({ conformance, changes }).toStrictEqual({ conformance: expected, changes: [] })
  expect(data).toBe(sent)
  expect(issues.length === 0).toBe(expected === "exact")
}
