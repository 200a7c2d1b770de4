/**
 * What of a subschema can be seen, without evaluating anything, to mean nothing.
 *
 * In: a keyword and its value. Out: the reason why it is not enforced, or undefined. Says nothing of keywords that hold subschemas
 * or that no dialect has.
 */
import { isArray, isObject } from "../json_object.js"
import { readLengthPattern } from "../length_pattern.js"
import { readPattern } from "../pattern.js"
import { typesOf } from "../json_type.js"

const isCount = (value: unknown) => typeof value === "number" && value >= 0
const aCount: Expectation = [isCount, "is no number of 0 or more"]
const aNumber: Expectation = [(value) => typeof value === "number", "is no number"]
const aNumberOrBoolean: Expectation = [(value) => typeof value === "number" || typeof value === "boolean", "is neither a number nor a boolean"]

type Expectation = readonly [fits: (value: unknown) => boolean, reason: string]

const EXPECTED: ReadonlyMap<string, Expectation> = new Map<string, Expectation>([
  ["type", [(value) => typesOf(value) !== undefined, "names no type of JSON"]],
  ["enum", [isArray, "is no array"]],
  ["required", [(value) => isArray(value) && value.every((name) => typeof name === "string"), "is no array of names"]],
  ["minimum", aNumber],
  ["maximum", aNumber],
  ["exclusiveMinimum", aNumberOrBoolean],
  ["exclusiveMaximum", aNumberOrBoolean],
  ["multipleOf", [(value) => typeof value === "number" && value > 0, "is no number greater than 0"]],
  ["minLength", aCount],
  ["maxLength", aCount],
  ["minItems", aCount],
  ["maxItems", aCount],
  ["minProperties", aCount],
  ["maxProperties", aCount],
  ["minContains", aCount],
  ["maxContains", aCount],
  ["uniqueItems", [(value) => typeof value === "boolean", "is no boolean"]],
  ["dependentRequired", [isObject, "is no object"]],
  ["pattern", [(value) => typeof value === "string", "is no text"]],
  ["$ref", [(value) => typeof value === "string", "is no text"]],
])

/** Why the keyword's value is not enforced; undefined when it is, or when the keyword enforces nothing. */
export function whyIgnored(keyword: string, value: unknown): string | undefined {
  const expected = EXPECTED.get(keyword)
  if (expected !== undefined && !expected[0](value)) return expected[1]
  return keyword === "pattern" && typeof value === "string" ? whyPatternIgnored(value) : undefined
}

/** Why a regular expression of a schema is not enforced; undefined when it is. */
export function whyPatternIgnored(source: string): string | undefined {
  if (readLengthPattern(source) !== undefined) return undefined
  const check = readPattern(source)
  return check.kind === "invalid" || check.kind === "unenforced" ? (check.reason ?? "the pattern is not enforced") : undefined
}
