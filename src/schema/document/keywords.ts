/**
 * Which keywords a dialect has, and where subschemas stand.
 *
 * Tables only. A document without a dialect is read leniently: every keyword of every dialect means what it was made for.
 */
import type { Dialect } from "../dialect.js"
import { isAtLeast } from "../dialect.js"

/** How the value of a keyword holds subschemas. */
export type SubschemaShape = "one" | "list" | "map" | "one or list" | "map of schemas or names"

/** Every keyword that holds subschemas, in any dialect. */
export const SUBSCHEMAS: ReadonlyMap<string, SubschemaShape> = new Map([
  ["properties", "map"],
  ["items", "one or list"],
  ["anyOf", "list"],
  ["additionalProperties", "one"],
  ["$defs", "map"],
  ["definitions", "map"],
  ["oneOf", "list"],
  ["allOf", "list"],
  ["not", "one"],
  ["if", "one"],
  ["then", "one"],
  ["else", "one"],
  ["prefixItems", "list"],
  ["additionalItems", "one"],
  ["contains", "one"],
  ["patternProperties", "map"],
  ["propertyNames", "one"],
  ["dependentSchemas", "map"],
  ["dependencies", "map of schemas or names"],
  ["unevaluatedItems", "one"],
  ["unevaluatedProperties", "one"],
  ["contentSchema", "one"],
])

/** Keywords that came later than draft-04, with the dialect that brought them. */
const SINCE: ReadonlyMap<string, Dialect> = new Map([
  ["const", "draft-06"],
  ["contains", "draft-06"],
  ["propertyNames", "draft-06"],
  ["if", "draft-07"],
  ["then", "draft-07"],
  ["else", "draft-07"],
  ["contentEncoding", "draft-07"],
  ["contentMediaType", "draft-07"],
  ["$defs", "2019-09"],
  ["$anchor", "2019-09"],
  ["dependentRequired", "2019-09"],
  ["dependentSchemas", "2019-09"],
  ["minContains", "2019-09"],
  ["maxContains", "2019-09"],
  ["unevaluatedItems", "2019-09"],
  ["unevaluatedProperties", "2019-09"],
  ["contentSchema", "2019-09"],
  ["$recursiveRef", "2019-09"],
  ["$recursiveAnchor", "2019-09"],
  ["prefixItems", "2020-12"],
  ["$dynamicRef", "2020-12"],
  ["$dynamicAnchor", "2020-12"],
])

/** Keywords that a dialect took away. `dependencies` and `definitions` are kept for compatibility, as the later ones allow. */
const UNTIL: ReadonlyMap<string, Dialect> = new Map([
  ["$recursiveRef", "2019-09"],
  ["$recursiveAnchor", "2019-09"],
])

/** True when the dialect has the keyword; undefined stands for the lenient reading, which has all. */
export function hasKeyword(dialect: Dialect | undefined, keyword: string): boolean {
  if (dialect === undefined) return true
  const since = SINCE.get(keyword)
  if (since !== undefined && !isAtLeast(dialect, since)) return false
  const until = UNTIL.get(keyword)
  return until === undefined || !isAtLeast(dialect, until) || dialect === until
}

/** True where keywords beside `$ref` do not count (draft-07 and before). */
export function ignoresRefSiblings(dialect: Dialect | undefined): boolean {
  return dialect !== undefined && !isAtLeast(dialect, "2019-09")
}
