/**
 * The metaschemas that every document may refer to.
 *
 * In: a URI without fragment. Out: a fresh copy of the metaschema as plain JSON, or undefined.
 */
import { DRAFT_METASCHEMAS } from "./metaschemas_drafts.js"
import { VOCABULARY_METASCHEMAS } from "./metaschemas_vocabularies.js"

/** The metaschema of a URI; `http` and `https` mean the same document. */
export function metaschemaOf(uri: string): unknown {
  const text =
    DRAFT_METASCHEMAS.get(uri) ??
    VOCABULARY_METASCHEMAS.get(uri) ??
    DRAFT_METASCHEMAS.get(uri.replace(/^https:/, "http:")) ??
    VOCABULARY_METASCHEMAS.get(uri.replace(/^http:/, "https:"))
  if (text === undefined) return undefined
  const metaschema: unknown = JSON.parse(text)
  return metaschema
}
