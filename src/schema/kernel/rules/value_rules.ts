/**
 * `type`, `enum`, `const`: what a value is.
 *
 * In: the keywords of a subschema. Out: rules. Knows nothing of members, items or other subschemas.
 */
import type { SchemaNode } from "../../document/schema_node.js"
import { hasKeyword } from "../../document/keywords.js"
import { isArray } from "../../json_object.js"
import { TYPE_TESTS, typesOf } from "../../json_type.js"
import { assertion, type Rule } from "../evaluation.js"
import { jsonEqual } from "../json_equal.js"

const TYPE_WORDS: ReadonlyMap<unknown, string> = new Map([
  ["string", "a string"],
  ["number", "a number"],
  ["integer", "a whole number"],
  ["boolean", "true or false"],
  ["null", "null"],
  ["object", "an object"],
  ["array", "an array"],
])

/** The rules of `type`, `enum` and `const`. */
export function valueRules({ schema, resource }: SchemaNode): Rule[] {
  if (!resource.validates) return []
  const rules: Rule[] = []
  const types = typesOf(schema.type)
  if (types !== undefined) rules.push(typeRule(types))
  if (isArray(schema.enum)) rules.push(enumRule("enum", schema.enum))
  if (Object.hasOwn(schema, "const") && hasKeyword(resource.dialect, "const")) rules.push(enumRule("const", [schema.const]))
  return rules
}

function typeRule(types: readonly string[]): Rule {
  const tests = types.map((type) => TYPE_TESTS.get(type) ?? (() => true))
  const message = `must be ${types.map((type) => TYPE_WORDS.get(type) ?? type).join(" or ")}`
  const [first, second] = tests
  if (first !== undefined && tests.length === 1) return assertion("type", first, message)
  if (first !== undefined && second !== undefined && tests.length === 2) return assertion("type", (value) => first(value) || second(value), message)
  return assertion("type", (value) => tests.some((test) => test(value)), message)
}

function enumRule(keyword: string, values: readonly unknown[]): Rule {
  const simple = new Set(values.filter((value) => typeof value !== "object" || value === null))
  const composed = values.filter((value) => typeof value === "object" && value !== null)
  const fits = (value: unknown) => simple.has(value) || (composed.length > 0 && composed.some((one) => jsonEqual(one, value)))
  return assertion(keyword, fits, `must be ${values.length === 1 ? "" : "one of "}${listOf(values)}`)
}

const MAX_LISTED = 12

/** The schema's own values, clipped: they are no secret, but may be many and long. */
function listOf(values: readonly unknown[]): string {
  const shown = values.slice(0, MAX_LISTED).map((value) => {
    const text = JSON.stringify(value)
    return text.length > 60 ? `${text.slice(0, 60)}…` : text
  })
  return values.length > MAX_LISTED ? `${shown.join(", ")} and ${values.length - MAX_LISTED} more` : shown.join(", ")
}
