/**
 * Lets calls through by operation id.
 */
import { CallError } from "../error.js"
import { matchesOperationId } from "../operation.js"
import type { Middleware } from "../registry.js"

/** Which operations may run: id patterns (`"fs.*"`). Without `allow` all may; `deny` wins over `allow`. */
export interface FilterOptions {
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
}

/** A middleware that refuses operations by their id, with ACCESS_DENIED and nothing started. */
export function filter({ allow, deny = [] }: FilterOptions): Middleware {
  return (call, next) => {
    const fits = (pattern: string) => matchesOperationId(pattern, call.id)
    const rule = deny.some(fits) ? "deny" : allow !== undefined && !allow.some(fits) ? "allow" : undefined
    if (rule === undefined) return next()
    const why = rule === "deny" ? "is on the list of denied operations" : "is not on the list of allowed operations"
    return Promise.reject(
      new CallError("ACCESS_DENIED", `"${call.id}" ${why}`, { details: { operationId: call.id, missing: { filter: rule }, outcome: "not_started" } }),
    )
  }
}
