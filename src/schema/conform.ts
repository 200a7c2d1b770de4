/**
 * Brings a value to its schema and says what it took.
 *
 * In: a TypeBox schema, any value, a policy. Out: the data, how far it conforms, what did not fit, and what was changed.
 * Never throws and never changes its input. The value is checked first, on the compiled road: most values fit, and one that
 * fits is handed on as the same reference. Knows nothing of envelopes: capping the lists for one is `clip.ts`.
 */
import type { TSchema } from "@sinclair/typebox"
import { compile } from "./compile.js"
import { castValue, type Cast } from "./conform/cast_value.js"
import { isWalkable, MAX_VALUE_DEPTH } from "./conform/depth.js"
import { fillValue } from "./conform/fill_value.js"
import { findIssues } from "./conform/find_issues.js"
import { isContainer } from "./conform/member.js"
import { rootScope, type Scope } from "./conform/scope.js"
import { sourceDocumentOf } from "./conform/source.js"
import type { DataChange } from "./data_change.js"
import type { SchemaIssue } from "./issue.js"
import { recordOf } from "./source_record.js"

/**
 * What is done with a value that does not fit: `cast` brings it to the schema as `Value.Cast` would, `repair` fills in missing
 * members whose default the schema states and nothing else, `raw` leaves it as it is.
 */
export type ConformPolicy = "cast" | "repair" | "raw"

/**
 * What `conform` found and did.
 *
 * `exact`: the value fitted, `data` is the same reference, both lists are empty. `cast`: it did not fit, and was brought to
 * the schema (by either policy); `data` fits. `invalid`: it does not fit; `data` is what was sent, `changes` is empty.
 */
export interface Conformed {
  readonly data: unknown
  readonly conformance: "exact" | "cast" | "invalid"
  /** What did not fit in the value that was sent. All of it, however much that is. */
  readonly issues: SchemaIssue[]
  /** Every difference between the value that was sent and `data`. Undoing them gives back what was sent. */
  readonly changes: DataChange[]
}

/**
 * The value brought to its schema, or as it was sent, with everything that did not fit and everything that was changed.
 *
 * `policy` is `cast` unless given. A root that Cast would replace (null, text or a list where the schema asks for an object)
 * is never replaced: that is `invalid`. Never throws.
 */
export function conform(schema: TSchema, value: unknown, policy: ConformPolicy = "cast"): Conformed {
  const fits = compile(schema)
  if (fits(value)) return { data: value, conformance: "exact", issues: [], changes: [] }
  const invalid = (issues: SchemaIssue[]): Conformed => ({ data: value, conformance: "invalid", issues, changes: [] })
  if (!isWalkable(value)) return invalid([NOT_WALKABLE])
  try {
    const scope = rootScope(schema)
    const issues = findIssues(scope, schema, value)
    const brought = bring(scope, schema, value, policy)
    if (brought === undefined || !isKept(value, brought.data) || !fits(brought.data)) return invalid(issues)
    return { data: brought.data, conformance: "cast", issues, changes: brought.changes }
  } catch {
    // The caller's stack was nearly used up already.
    return invalid([NOT_WALKABLE])
  }
}

const NOT_WALKABLE: SchemaIssue = { path: "", keyword: "depth", message: `is nested deeper than ${MAX_VALUE_DEPTH} levels, or in a circle` }

function bring(scope: Scope, schema: TSchema, value: unknown, policy: ConformPolicy): Cast | undefined {
  switch (policy) {
    case "cast":
      return castValue(scope, schema, value, recordOf(schema) !== undefined)
    case "repair":
      return fillValue(sourceDocumentOf(schema), value, { defaults: "required", coerce: false })
    case "raw":
      return undefined
  }
}

/** A root that is no object or array has nothing to keep but itself; one that turns into the other was replaced. */
function isKept(sent: unknown, data: unknown): boolean {
  return isContainer(sent) && isContainer(data) && Array.isArray(sent) === Array.isArray(data)
}
