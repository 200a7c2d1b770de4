/**
 * Brings a value to its schema and says what it took.
 *
 * In: a TypeBox schema, any value, a policy. Out: the data, how far it conforms, what did not fit, and what was changed.
 * Never throws and never changes its input. The value is checked first, on the compiled road: most values fit, and one that
 * fits is handed on as the same reference. Knows nothing of envelopes: capping the lists for one is `clip.ts`.
 */
import type { TSchema } from "@sinclair/typebox"
import { compile, isModest } from "./compile.js"
import { castValue, type Cast } from "./conform/cast_value.js"
import { fillValue } from "./conform/fill_value.js"
import { findIssues } from "./conform/find_issues.js"
import { isObject } from "./conform/member.js"
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
  const scope = rootScope(schema, isCareful(schema, value))
  const issues = findIssues(scope, schema, value)
  // Nothing is brought to its schema that was too deep to be looked at.
  const brought = issues.some(({ keyword }) => keyword === "depth") ? undefined : bring(scope, schema, value, policy)
  if (brought === undefined || !isKept(value, brought.data) || !fits(brought.data)) {
    return { data: value, conformance: "invalid", issues, changes: [] }
  }
  return { data: brought.data, conformance: "cast", issues, changes: brought.changes }
}

function bring(scope: Scope, schema: TSchema, value: unknown, policy: ConformPolicy): Cast | undefined {
  try {
    if (policy === "cast") return castValue(scope, schema, value, recordOf(schema) !== undefined)
    if (policy === "repair") return fillValue(sourceDocumentOf(schema), value, { defaults: "required", coerce: false })
    return undefined
  } catch {
    // Nested too deep for the stack, or in a circle.
    return undefined
  }
}

/** True where compiled checks could go around in the value for ever: a recursive schema, and a value that is no tree of usual size. */
function isCareful(schema: TSchema, value: unknown): boolean {
  const record = recordOf(schema)
  return record?.road === "compiled, by depth" && !isModest(value, record.document.limits.valueDepth)
}

/** A root that is no object or array has nothing to keep but itself; one that turns into the other was replaced. */
function isKept(sent: unknown, data: unknown): boolean {
  return isObject(sent) && isObject(data) && Array.isArray(sent) === Array.isArray(data)
}
