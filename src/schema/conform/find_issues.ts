/**
 * What of a value does not fit, found where it is: parts that fit are not looked into.
 *
 * In: a schema, its scope, a value that does not fit. Out: the same issues that `collectErrors` gives, all of them. Evaluators
 * that give reasons are fifty times slower than compiled checks, so the checks lead to the wrong parts and only these are asked.
 */
import { Kind, type TSchema } from "@sinclair/typebox"
import type { SchemaIssue } from "../issue.js"
import { recordOf } from "../source_record.js"
import { typeboxIssues } from "../typebox_issues.js"

import { nodeAlone } from "./node_alone.js"
import { partsOf } from "./parts.js"
import { placeOf, pointerOf, ROOT, type Place } from "./place.js"
import { checkOf } from "./node_check.js"
import type { Scope } from "./scope.js"
import { wrongParts } from "./wrong_parts.js"

/** All issues of a value that does not fit; never empty. */
export function findIssues(scope: Scope, schema: TSchema, value: unknown): SchemaIssue[] {
  const record = recordOf(schema)
  if (record !== undefined) return record.kernel().issues(record.root, value, Infinity, "", wrongParts(scope, schema, value))
  const issues: SchemaIssue[] = []
  addIssues(issues, scope, schema, value, ROOT)
  return issues.length > 0 ? issues : [UNEXPLAINED]
}

const UNEXPLAINED: SchemaIssue = { path: "", keyword: "schema", message: "does not fit the schema" }

function addIssues(issues: SchemaIssue[], outer: Scope, schema: TSchema, value: unknown, place: Place): void {
  const taken = partsOf(outer, schema, value)
  const found = issues.length
  if (taken !== undefined) {
    const { scope, node, every } = taken
    const alone = nodeAlone(node)
    if (alone !== undefined) push(issues, typeboxIssues(alone, value, Infinity, scope.references, pointerOf(place, "sent")))
    every((key, part, schemaOfPart) => {
      if (schemaOfPart !== undefined && !isAbsent(node, part, key) && !checkOf(scope, schemaOfPart)(part)) {
        addIssues(issues, scope, schemaOfPart, part, placeOf(place, key))
      }
      return true
    })
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

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
