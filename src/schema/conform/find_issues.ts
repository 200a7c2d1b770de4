/**
 * What of a value does not fit, found where it is: parts that fit are not looked into.
 *
 * In: a schema, its scope, a value that does not fit. Out: the same issues that `collectErrors` gives, all of them. Evaluators
 * that give reasons are fifty times slower than compiled checks, so the checks lead to the wrong parts and only these are asked.
 */
import { Kind, Type, type TSchema } from "@sinclair/typebox"
import type { SchemaIssue } from "../issue.js"
import { recordOf } from "../source_record.js"
import { typeboxIssues } from "../typebox_issues.js"
import { isTooDeep, MAX_VALUE_DEPTH, PROBED_DEPTH, TooDeep } from "./depth.js"
import { fittingParts } from "./fitting_parts.js"
import { isObject } from "./member.js"
import { partsOf } from "./parts.js"
import { placeOf, pointerOf, ROOT, type Place } from "./place.js"
import { checkOf, type Scope } from "./scope.js"

/** All issues of a value that does not fit; never empty. */
export function findIssues(scope: Scope, schema: TSchema, value: unknown): SchemaIssue[] {
  const record = recordOf(schema)
  if (record !== undefined) return record.kernel().issues(record.root, value, Infinity, "", fittingParts(scope, schema, value))
  const issues: SchemaIssue[] = []
  try {
    addIssues(issues, scope, schema, value, ROOT, 0)
  } catch {
    return [TOO_DEEP]
  }
  return issues.length > 0 ? issues : [UNEXPLAINED]
}

const TOO_DEEP: SchemaIssue = { path: "", keyword: "depth", message: `is nested deeper than ${MAX_VALUE_DEPTH} levels, or in a circle` }
const UNEXPLAINED: SchemaIssue = { path: "", keyword: "schema", message: "does not fit the schema" }

function addIssues(issues: SchemaIssue[], outer: Scope, schema: TSchema, value: unknown, place: Place, depth: number): void {
  if (depth === PROBED_DEPTH && isTooDeep(value)) throw new TooDeep()
  const taken = partsOf(outer, schema, value)
  const found = issues.length
  if (taken !== undefined) {
    const { scope, node, parts } = taken
    const alone = withoutParts(node)
    if (alone !== undefined) push(issues, typeboxIssues(alone, value, Infinity, scope.references, pointerOf(place, "sent")))
    for (const part of parts) {
      if (part.schema === undefined || isAbsent(node, part.value, part.key) || checkOf(scope, part.schema)(part.value)) continue
      addIssues(issues, scope, part.schema, part.value, placeOf(place, part.key), depth + 1)
    }
  }
  if (issues.length > found) return
  push(issues, typeboxIssues(schema, value, Infinity, outer.references, pointerOf(place, "sent")))
}

/** An optional member that is undefined counts as not sent. */
function isAbsent(node: TSchema, value: unknown, key: string | number): boolean {
  return value === undefined && node[Kind] === "Object" && !listOf(node.required).includes(key)
}

function push(issues: SchemaIssue[], more: readonly SchemaIssue[]): void {
  for (const issue of more) issues.push(issue)
}

const alones = new WeakMap<TSchema, TSchema>()

/** What a node says of a value whatever its parts are; undefined for a list of which only the items are asked something. */
function withoutParts(node: TSchema): TSchema | undefined {
  if (node[Kind] === "Array" && OF_LISTS.every((keyword) => node[keyword] === undefined)) return undefined
  let alone = alones.get(node)
  if (alone === undefined) alones.set(node, (alone = makeAlone(node)))
  return alone
}

const OF_LISTS = ["minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains"]

function makeAlone(node: TSchema): TSchema {
  const { $id: _, ...alone }: TSchema & { $id?: unknown } = node
  const emptied = (held: unknown): Record<string, TSchema> => Object.fromEntries(Object.keys(isObject(held) ? held : {}).map((key) => [key, Type.Unknown()]))
  if (node[Kind] === "Array") alone["items"] = Type.Unknown()
  if (node[Kind] === "Tuple" && node["items"] !== undefined) alone["items"] = listOf(node["items"]).map(() => Type.Unknown())
  if (node[Kind] === "Object") alone["properties"] = emptied(node["properties"])
  if (node[Kind] === "Record") alone["patternProperties"] = emptied(node["patternProperties"])
  if (typeof node["additionalProperties"] === "object") delete alone["additionalProperties"]
  return alone
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
