/**
 * What has to hold for one schema and one value, with `Value.Cast` alone as the oracle.
 *
 * In: `conform`, a schema, a value. Out: what was broken, as a sentence, or undefined; `kind` says which road the pair took.
 */
import { isDeepStrictEqual } from "node:util"
import { Value } from "@sinclair/typebox/value"
import { undoChanges } from "./undo_changes.mjs"

export function checkPair(conform, schema, value) {
  const before = structuredClone(value)
  const isFitting = check(schema, value)
  // An intersect with unevaluatedProperties makes Value.Check throw on what is no object: nothing to compare with.
  if (isFitting === undefined) return { kind: "check throws" }
  const result = conform(schema, value)
  const broken = (text) => ({ kind: "broken", broken: text, result })
  if (!isDeepStrictEqual(value, before)) return broken("the sent value was changed")
  if (isFitting !== (result.conformance === "exact")) return broken(`Check says ${isFitting}, conform says ${result.conformance}`)
  if (result.conformance !== "invalid" && check(schema, result.data) === false) return broken("claims to fit and does not")
  if (result.conformance !== "cast" && result.data !== value) return broken("another reference where nothing was cast")
  if (isFitting !== (result.issues.length === 0)) return broken("issues do not say whether it fits")
  if (isDeepStrictEqual(result.data, value) !== (result.changes.length === 0)) return broken("changes do not say whether data differs")
  const undone = undoChanges(result.data, result.changes)
  if (!isDeepStrictEqual(undone, value)) return broken("undoing the changes does not give back what was sent")
  if (isFitting) return { kind: "exact" }
  const oracle = castAlone(schema, before)
  if (oracle === undefined) return { kind: "cast throws" }
  if (!isKept(value, oracle.data)) return result.conformance === "invalid" ? { kind: "root replaced" } : broken("the root was replaced")
  if (check(schema, oracle.data) !== true) return { kind: "cast does not fit" }
  if (result.conformance !== "cast") return broken("Value.Cast fits, conform gave up")
  if (!isDeepStrictEqual(result.data, oracle.data)) return { ...broken("data differs from Value.Cast"), oracle: oracle.data }
  return { kind: "same as cast" }
}

function check(schema, value) {
  try {
    return Value.Check(schema, value)
  } catch {
    return undefined
  }
}

function castAlone(schema, value) {
  try {
    return { data: Value.Cast(schema, value) }
  } catch {
    return undefined
  }
}

function isKept(sent, data) {
  const shape = (value) => (Array.isArray(value) ? "array" : typeof value === "object" && value !== null ? "object" : "other")
  return shape(sent) !== "other" && shape(sent) === shape(data)
}
