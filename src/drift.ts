/**
 * Door of the drift room: what was reviewed, and what changed since.
 *
 * Pure: digests, a lock as plain JSON, and the comparison of two states of a server. Knows nothing of files or connections.
 */
export { canonicalJSON } from "./drift/canonical_json.js"
export { jsonDigest, operationDigest } from "./drift/digest.js"
export { compareSchemas, type SchemaComparison } from "./drift/compare_schemas.js"
export { compareServers, type ChangeLevel, type ServerChange } from "./drift/compare_servers.js"
export { type Finding } from "./drift/schema_difference.js"
export { Lock, LockedServer, LockedTool, lockServer, readLock, writeLock, type ToolFacts } from "./drift/lock.js"
/** The way through references of a document, for other rooms. @internal */
export { resolveLocal } from "./drift/plain_schema.js"
