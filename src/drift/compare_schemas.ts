/**
 * What a change of a schema means for those who use it.
 *
 * In: the schema as it was and as it is. Out: whether it takes less, more, or both, and where. Two judges: the keywords, read side by
 * side, and trial values at the edges of both schemas, checked against both. What a trial value shows is certain; where keywords cannot be
 * compared, only trial values speak.
 */
import { compile, FromSchema, isObject, type JSONObject } from "../schema.js"
import { canonicalJSON } from "./canonical_json.js"
import { withoutAnnotations } from "./plain_schema.js"
import { Comparison, type Finding } from "./schema_difference.js"
import { trialValues } from "./trial_values.js"

/** How the later of two schemas relates to the earlier one. */
export interface SchemaComparison {
  /**
   * `equal`: the same values; `narrowed`: fewer; `widened`: more; `changed`: some are new and some are refused; `unclear`: the words
   * differ and no trial value tells them apart.
   */
  readonly relation: "equal" | "narrowed" | "widened" | "changed" | "unclear"
  /** Where keywords differ. */
  readonly findings: readonly Finding[]
  /** A value that was taken and is refused now. */
  readonly refusedNow?: { readonly value: unknown }
  /** A value that was refused and is taken now. */
  readonly takenNow?: { readonly value: unknown }
  /** A value of the later schema that the earlier one, as it is written, refuses. */
  readonly newToReaders?: { readonly value: unknown }
  /** A value of the earlier schema that the later one, as it is written, refuses. */
  readonly refusedAsWritten?: { readonly value: unknown }
}

/**
 * Compares two JSON Schemas. An object that declares properties and says nothing of other members is read as if it declared all:
 * a new optional property widens it, one that is gone narrows it. `newToReaders` and `refusedAsWritten` look at the schemas as they are written.
 */
export function compareSchemas(before: unknown, after: unknown): SchemaComparison {
  if (canonicalJSON(before) === canonicalJSON(after) || sayTheSame(before, after)) return { relation: "equal", findings: [] }
  const comparison = new Comparison(before, after)
  comparison.compare(before, after, "")
  const { findings } = comparison
  const trial = tried(before, after)
  const narrowed = trial.refusedNow !== undefined || findings.some(({ direction }) => direction === "narrowed")
  const widened = trial.takenNow !== undefined || findings.some(({ direction }) => direction === "widened")
  const isUnclear = findings.some(({ direction }) => direction === "unclear")
  const relation = narrowed ? (widened ? "changed" : "narrowed") : widened ? "widened" : isUnclear ? "unclear" : "equal"
  return { relation, findings, ...trial }
}

/** Equal but for annotations, definitions that nobody refers to, and the order of lists that have none. */
function sayTheSame(before: unknown, after: unknown): boolean {
  const [one, other] = [withoutAnnotations(before), withoutAnnotations(after)]
  if (canonicalJSON(one) !== canonicalJSON(other)) return false
  return !canonicalJSON(one).includes('"$ref"') || canonicalJSON(definitionsOf(before)) === canonicalJSON(definitionsOf(after))
}

function definitionsOf(schema: unknown): unknown {
  if (!isObject(schema)) return null
  return [schema["$defs"], schema["definitions"]].map((map) => (isObject(map) ? Object.fromEntries(Object.entries(map).map(([name, member]) => [name, withoutAnnotations(member)])) : null))
}

type Trial = Pick<SchemaComparison, "refusedNow" | "takenNow" | "newToReaders" | "refusedAsWritten">

function tried(before: unknown, after: unknown): Trial {
  const [closedBefore, closedAfter, openBefore, openAfter] = [closed(before), closed(after), before, after].map((schema) => compile(FromSchema(schema)))
  const trial: { -readonly [Key in keyof Trial]: Trial[Key] } = {}
  for (const value of [...trialValues(before), ...trialValues(after)]) {
    const [was, is] = [closedBefore?.(value) === true, closedAfter?.(value) === true]
    if (was && !is) trial.refusedNow ??= { value }
    if (is && !was) trial.takenNow ??= { value }
    if (is && openBefore?.(value) !== true) trial.newToReaders ??= { value }
    if (was && openAfter?.(value) !== true) trial.refusedAsWritten ??= { value }
  }
  return trial
}

const SUBSCHEMA_MAPS: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"])
const LEFT_OPEN: ReadonlySet<string> = new Set(["allOf", "if", "then", "else", "not", "dependentSchemas", "dependencies", "enum", "const", "default", "examples"])
const OPENING = ["additionalProperties", "patternProperties", "unevaluatedProperties", "$ref"]
const PARTS = ["allOf", "anyOf", "oneOf", "if", "then", "else", "dependentSchemas", "dependencies"]

/** The schema with every object closed that says nothing of undeclared members; not where another part could declare them. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isObject(schema)) return schema
  const entries = Object.entries(schema).map(([keyword, value]): [string, unknown] => {
    if (LEFT_OPEN.has(keyword)) return [keyword, value]
    if (SUBSCHEMA_MAPS.has(keyword) && isObject(value)) return [keyword, Object.fromEntries(Object.entries(value).map(([name, member]) => [name, closed(member)]))]
    return [keyword, closed(value)]
  })
  const { properties } = schema
  const declaresAll = isObject(properties) && OPENING.every((keyword) => schema[keyword] === undefined) && !PARTS.some((keyword) => declaresOthers(schema[keyword], properties))
  return Object.fromEntries(declaresAll ? [...entries, ["additionalProperties", false]] : entries)
}

/** True where a part of an object may declare members that the object itself does not. */
function declaresOthers(part: unknown, properties: JSONObject): boolean {
  if (typeof part !== "object" || part === null) return false
  if (isObject(part) && part["$ref"] !== undefined) return true
  if (isObject(part) && isObject(part["properties"]) && Object.keys(part["properties"]).some((name) => !Object.hasOwn(properties, name))) return true
  return Object.entries(part).some(([keyword, value]) => keyword !== "properties" && declaresOthers(value, properties))
}
