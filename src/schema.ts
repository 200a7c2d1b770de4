/**
 * Door of the schemas: JSON Schema to TypeBox, checking with JSON pointers, and bringing a value to its schema.
 *
 * Knows nothing of operations or MCP. Nothing is ever fetched.
 */
export { isObject, type JSONObject } from "./schema/json_object.js"
export { SchemaIssue } from "./schema/issue.js"
export { DataChange } from "./schema/data_change.js"
export { conform, type Conformed, type ConformPolicy } from "./schema/conform.js"
export { clipChanges, clipIssues, type ClippedChanges, type ClippedIssues } from "./schema/clip.js"
export { prepareInput, type PrepareInputOptions } from "./schema/prepare_input.js"
/** Digests of texts, for other rooms. @internal */
export { contentDigest, sha256 } from "./schema/content_digest.js"
export { unsafeIntegers } from "./schema/unsafe_integers.js"
export { FromSchema, type FromSchemaOptions } from "./schema/from_schema.js"
export type { TFromSchema } from "./schema/from_schema_type.js"
export { METASCHEMA_URI, type Dialect } from "./schema/dialect.js"
export { type SchemaLimits } from "./schema/limits.js"
export { type SchemaLoss } from "./schema/loss.js"
export { lossOf, sourceOf } from "./schema/source_record.js"
export { compile, type SchemaCheck } from "./schema/compile.js"
export { collectErrors, type CollectErrorsOptions } from "./schema/collect_errors.js"
export { validateOrThrow } from "./schema/validate_or_throw.js"
