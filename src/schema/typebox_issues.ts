/**
 * TypeBox's errors as issues.
 *
 * In: a TypeBox schema that a person wrote, and a value. Out: issues in the words of this library. Exact nodes in it are asked
 * themselves, so that their inner pointers come out; of the branches of a Union the closest one is told.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import { ValueErrorType, type ValueError } from "@sinclair/typebox/errors"
import { Value } from "@sinclair/typebox/value"
import { exactCheckOf } from "./exact_kind.js"
import type { SchemaIssue } from "./issue.js"

/** The issues of a value under a TypeBox schema whose references are `references`; paths start with `prefix`. Never throws. */
export function typeboxIssues(schema: TSchema, value: unknown, limit: number, references: readonly TSchema[] = [], prefix = ""): SchemaIssue[] {
  const issues: SchemaIssue[] = []
  try {
    // TypeBox writes to the references it is given.
    addErrors(Value.Errors(schema, [...references], value), issues, limit)
    if (prefix !== "") return issues.slice(0, limit).map((issue) => ({ ...issue, path: prefix + issue.path }))
  } catch (thrown) {
    const isDeep = thrown instanceof RangeError
    issues.push({ path: prefix, keyword: isDeep ? "depth" : "schema", message: isDeep ? "is nested too deep, or in a circle" : "cannot be checked: the schema is of a kind that is not known" })
  }
  return issues.slice(0, limit)
}

function addErrors(errors: Iterable<ValueError>, issues: SchemaIssue[], limit: number): void {
  const known = new Map<string, Set<string>>()
  for (const error of errors) {
    if (issues.length >= limit) return
    for (const issue of issuesOf(error, limit)) {
      const keywords = known.get(issue.path)
      // TypeBox reports a missing property twice: as missing, and as undefined of the wrong type.
      if (keywords?.has(issue.keyword) === true || keywords?.has("required") === true) continue
      if (keywords === undefined) known.set(issue.path, new Set([issue.keyword]))
      else keywords.add(issue.keyword)
      issues.push(issue)
    }
  }
}

function issuesOf(error: ValueError, limit: number): SchemaIssue[] {
  const exact = exactCheckOf(error.schema)
  if (exact !== undefined && error.value !== undefined) return exact.issues(error.value, limit, error.path)
  const [keyword, message] = error.value === undefined && error.type !== ValueErrorType.Never ? (["required", "is required"] as const) : wordsOf(error)
  const own = { path: error.path, keyword, message }
  return error.type === ValueErrorType.Union && error.value !== undefined ? [...closest(error, limit), own] : [own]
}

function closest(error: ValueError, limit: number): SchemaIssue[] {
  let best: SchemaIssue[] = []
  let distance = Infinity
  for (const branch of error.errors) {
    const issues: SchemaIssue[] = []
    addErrors(branch, issues, limit)
    const isOther = issues.some(({ path, keyword }) => path === error.path && (keyword === "type" || keyword === "const"))
    const tags = issues.filter(({ path, keyword }) => keyword === "const" && path.lastIndexOf("/") === error.path.length)
    const own = isOther ? Infinity : issues.length + 1_000 * tags.length
    if (own < distance) [best, distance] = [tags.length > 0 ? tags : issues, own]
  }
  return best
}

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ["Array", "an array"],
  ["BigInt", "a bigint"],
  ["Boolean", "true or false"],
  ["Date", "a date"],
  ["Function", "a function"],
  ["Integer", "a whole number"],
  ["Null", "null"],
  ["Number", "a number"],
  ["Object", "an object"],
  ["Record", "an object"],
  ["String", "a string"],
  ["Symbol", "a symbol"],
  ["Tuple", "an array"],
  ["Undefined", "undefined"],
  ["Void", "undefined"],
])

function wordsOf({ type, schema }: ValueError): readonly [keyword: string, message: string] {
  switch (type) {
    case ValueErrorType.ArrayMinItems:
      return ["minItems", `must have at least ${schema.minItems} items`]
    case ValueErrorType.ArrayMaxItems:
      return ["maxItems", `must have at most ${schema.maxItems} items`]
    case ValueErrorType.TupleLength:
      return ["maxItems", `must have ${schema.maxItems} items`]
    case ValueErrorType.ArrayUniqueItems:
      return ["uniqueItems", "must not hold the same item twice"]
    case ValueErrorType.ArrayContains:
    case ValueErrorType.ArrayMinContains:
    case ValueErrorType.ArrayMaxContains:
      return ["contains", "must hold the right number of matching items"]
    case ValueErrorType.ObjectRequiredProperty:
      return ["required", "is required"]
    case ValueErrorType.ObjectAdditionalProperties:
      return ["additionalProperties", "is not a known property"]
    case ValueErrorType.IntersectUnevaluatedProperties:
      return ["unevaluatedProperties", "is not a known property"]
    case ValueErrorType.ObjectMinProperties:
      return ["minProperties", `must have at least ${schema.minProperties} properties`]
    case ValueErrorType.ObjectMaxProperties:
      return ["maxProperties", `must have at most ${schema.maxProperties} properties`]
    case ValueErrorType.StringMinLength:
      return ["minLength", `must have at least ${schema.minLength} characters`]
    case ValueErrorType.StringMaxLength:
      return ["maxLength", `must have at most ${schema.maxLength} characters`]
    case ValueErrorType.StringPattern:
    case ValueErrorType.RegExp:
      return ["pattern", `must match the pattern ${schema.pattern ?? schema.source}`]
    case ValueErrorType.StringFormat:
    case ValueErrorType.StringFormatUnknown:
      return ["format", `must have the format ${JSON.stringify(schema.format)}`]
    case ValueErrorType.NumberMinimum:
    case ValueErrorType.IntegerMinimum:
    case ValueErrorType.BigIntMinimum:
      return ["minimum", `must be at least ${schema.minimum}`]
    case ValueErrorType.NumberMaximum:
    case ValueErrorType.IntegerMaximum:
    case ValueErrorType.BigIntMaximum:
      return ["maximum", `must be at most ${schema.maximum}`]
    case ValueErrorType.NumberExclusiveMinimum:
    case ValueErrorType.IntegerExclusiveMinimum:
    case ValueErrorType.BigIntExclusiveMinimum:
      return ["exclusiveMinimum", `must be greater than ${schema.exclusiveMinimum}`]
    case ValueErrorType.NumberExclusiveMaximum:
    case ValueErrorType.IntegerExclusiveMaximum:
    case ValueErrorType.BigIntExclusiveMaximum:
      return ["exclusiveMaximum", `must be less than ${schema.exclusiveMaximum}`]
    case ValueErrorType.NumberMultipleOf:
    case ValueErrorType.IntegerMultipleOf:
    case ValueErrorType.BigIntMultipleOf:
      return ["multipleOf", `must be a multiple of ${schema.multipleOf}`]
    case ValueErrorType.Literal:
      return ["const", `must be ${JSON.stringify(schema.const)}`]
    case ValueErrorType.Union:
      return ["anyOf", "must match at least one of the alternatives"]
    case ValueErrorType.Intersect:
      return ["allOf", "must match every part of the schema"]
    case ValueErrorType.Not:
      return ["not", "must not match what the schema excludes"]
    case ValueErrorType.Never:
      return ["false", "is not allowed here"]
    default: {
      const name = TYPE_NAMES.get(schema[Kind])
      return ["type", name === undefined ? `must be of the kind ${schema[Kind]}` : `must be ${name}`]
    }
  }
}
