/**
 * The shape of one thing that did not fit a schema.
 *
 * A shape and nothing else: who finds issues stands in `collect_errors.ts`. It is a wire shape, so the TypeBox schema
 * is the source and the static type follows it.
 */
import { Type, type Static } from "@sinclair/typebox"

/** One misfit of a value: where (RFC 6901 JSON pointer into the value, `""` for the whole), which keyword, and a sentence in plain words. */
export const SchemaIssue = Type.Object({
  path: Type.String(),
  keyword: Type.String(),
  message: Type.String(),
})
export type SchemaIssue = Static<typeof SchemaIssue>
