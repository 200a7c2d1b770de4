/**
 * What a document with dynamic scope, or with a metaschema of its own, shows as JSON: itself, complete, inside one wrapper.
 *
 * In: the document and a URI of its own. Out: keywords of the wrapper. Its identifiers and anchors decide what its references mean,
 * so nothing in it is rewritten; the wrapper keeps its `$id` from TypeBox, which would name a compiled function after it.
 */
import { METASCHEMA_URI } from "../dialect.js"
import type { SchemaDocument } from "../document/schema_document.js"
import { DEFAULT_BASE } from "../document/uri.js"
import { annotationsOf } from "./annotations.js"

/** The keywords of the wrapper around a whole document. */
export function wholeDocument(document: SchemaDocument, id: string): Record<string, unknown> {
  const { root } = document
  if (typeof root === "boolean") return {}
  const { dialect } = root.resource
  const named = (schema: object, uri: string) => ({
    $id: uri,
    ...(dialect === undefined ? {} : { $schema: METASCHEMA_URI[dialect] }),
    ...schema,
  })
  const $defs = Object.fromEntries(document.loadedRoots().map(({ uri, schema }) => [uri, named(schema, uri)]))
  const own = `${DEFAULT_BASE}${encodeURIComponent(id)}`
  return {
    ...annotationsOf(root.schema),
    allOf: [named(root.schema, own)],
    ...(Object.keys($defs).length > 0 ? { $defs } : {}),
  }
}
