/**
 * Door of the middleware that comes with the library: each is put around the calls of a registry by `registry.use(…)`.
 *
 * What one takes out of a result stands in `meta.reduced`.
 */
export { approve, type ApprovalRequest } from "./middleware/approve.js"
export { audit, type AuditRecord } from "./middleware/audit.js"
export { filter, type FilterOptions } from "./middleware/filter.js"
export { limitResult } from "./middleware/limit_result.js"
export { redact } from "./middleware/redact.js"
export { timing, type Timing } from "./middleware/timing.js"
