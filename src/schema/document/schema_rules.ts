/**
 * By which rules a schema is read: its dialect, and what a metaschema of its author's own adds.
 *
 * In: a schema, the rules around it, the remote schemas. Out: its rules. Nothing is fetched: a metaschema that is not among the remotes
 * is unknown, and the schema is read as if it had named none.
 */
import { dialectOfURI } from "../dialect.js"
import { isObject, type JSONObject } from "../json_object.js"
import type { SchemaResource } from "./schema_node.js"
import { DEFAULT_BASE, resolveReference } from "./uri.js"

/** How the keywords of a schema are read. */
export type SchemaRules = Pick<SchemaResource, "dialect" | "validates" | "assertsFormat">

/** The rules, and where they come from. */
export interface ReadRules {
  readonly rules: SchemaRules
  /** `around`: the schema names no dialect; `unknown`: it names one that nobody knows. */
  readonly from: "around" | "dialect" | "own metaschema" | "unknown"
}

/** The rules that a `$schema` sets, or those around it. */
export function rulesOf(schema: JSONObject, around: SchemaRules, remotes: ReadonlyMap<string, unknown> | undefined): ReadRules {
  const name = schema.$schema
  if (typeof name !== "string") return { rules: around, from: "around" }
  const dialect = dialectOfURI(name)
  if (dialect !== undefined) return { rules: { dialect, validates: true, assertsFormat: false }, from: "dialect" }
  const uri = resolveReference(name, DEFAULT_BASE)?.uri
  const metaschema = remotes?.get(name) ?? (uri === undefined ? undefined : remotes?.get(uri))
  const described = isObject(metaschema) ? describedBy(metaschema) : undefined
  return described === undefined ? { rules: around, from: "unknown" } : { rules: described, from: "own metaschema" }
}

const VOCABULARY = /^https:\/\/json-schema\.org\/draft\/(?:2019-09|2020-12)\/vocab\/(.{1,30})$/

/** What a metaschema says about the schemas that name it. */
function describedBy(metaschema: JSONObject): SchemaRules | undefined {
  const dialect = typeof metaschema.$schema === "string" ? dialectOfURI(metaschema.$schema) : undefined
  if (dialect === undefined) return undefined
  if (!isObject(metaschema.$vocabulary)) return { dialect, validates: true, assertsFormat: false }
  const names = Object.keys(metaschema.$vocabulary).map((uri) => VOCABULARY.exec(uri)?.[1])
  return { dialect, validates: names.includes("validation"), assertsFormat: names.includes("format-assertion") }
}
