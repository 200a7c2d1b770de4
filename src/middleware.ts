/**
 * Door of the middleware that comes with the library: each is put around the calls of a registry by `registry.use(…)`.
 *
 * What one takes out of a result stands in `meta.reduced`.
 */
export { approve, type ApprovalRequest } from "./middleware/approve.js"
export { audit, type AuditRecord } from "./middleware/audit.js"
export { filter, type FilterOptions, type WantedHints } from "./middleware/filter.js"
export { limitResult, type ResultLimit } from "./middleware/limit_result.js"
export { redact } from "./middleware/redact.js"
export { cleanText, sanitizeText } from "./middleware/sanitize_text.js"
export { spill, type SpillOptions } from "./middleware/spill.js"
export { spillReader, type SpillReaderOptions } from "./middleware/spill_reader.js"
export { memorySpillStore, type MemorySpillStoreOptions, type SpillStore, type SpilledPart } from "./middleware/spill_store.js"
export { timing, type Timing } from "./middleware/timing.js"
