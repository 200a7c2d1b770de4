/**
 * The five dialects of JSON Schema, and how a document says which one it is written in.
 *
 * In: the value of `$schema`. Out: a `Dialect`, or undefined for an unknown URI. Knows nothing of what a keyword means.
 * Documents that say nothing are read as 2020-12, leniently: `definitions`, array `items` and a boolean `exclusiveMinimum`
 * mean what their author meant; that is decided where the keywords are read.
 */

/** A published version of JSON Schema. */
export type Dialect = "draft-04" | "draft-06" | "draft-07" | "2019-09" | "2020-12"

/** All dialects, oldest first. */
export const DIALECTS: readonly Dialect[] = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"]

/** The URI of each dialect's metaschema, as `$schema` spells it. */
export const METASCHEMA_URI: Readonly<Record<Dialect, string>> = {
  "draft-04": "http://json-schema.org/draft-04/schema#",
  "draft-06": "http://json-schema.org/draft-06/schema#",
  "draft-07": "http://json-schema.org/draft-07/schema#",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
}

const BY_NAME: ReadonlyMap<string, Dialect> = new Map([
  ["draft-04", "draft-04"],
  ["draft-06", "draft-06"],
  ["draft-07", "draft-07"],
  ["draft/2019-09", "2019-09"],
  ["draft/2020-12", "2020-12"],
])

/** The dialect that a `$schema` names; http and https, with and without the empty fragment, mean the same. */
export function dialectOfURI(uri: string): Dialect | undefined {
  const name = /^https?:\/\/json-schema\.org\/(.{1,20})\/schema#?$/.exec(uri)?.[1]
  return name === undefined ? undefined : BY_NAME.get(name)
}

/** True when `dialect` is `other` or newer. */
export function isAtLeast(dialect: Dialect, other: Dialect): boolean {
  return DIALECTS.indexOf(dialect) >= DIALECTS.indexOf(other)
}
