/**
 * Names of content: equal content has an equal digest in every process, other content another one.
 *
 * In: JSON values. Out: the SHA-256 of their canonical text. Nothing is left out on the way: a digest is what a reviewer agreed to.
 */
import { sha256 } from "../schema.js"
import { specToJSON, type OperationSpec } from "../operation.js"
import { canonicalJSON } from "./canonical_json.js"

/** The SHA-256 of a JSON value's canonical text, as 64 hexadecimal digits. */
export function jsonDigest(value: unknown): string {
  return sha256(canonicalJSON(value))
}

/**
 * The digest of an operation: of its whole wire form.
 *
 * @throws CallError CONFIGURATION_ERROR for an operation that is local only (see `specToJSON`).
 */
export function operationDigest(spec: OperationSpec): string {
  return jsonDigest(specToJSON(spec))
}
