/**
 * Lets calls through by operation id, and by what is said of the operation.
 */
import { CallError } from "../error.js"
import { matchesOperationId, type OperationSpec } from "../operation.js"
import type { Middleware } from "../registry.js"

/** The four hints of a tool, each as it is wanted; one that is left out does not matter. */
export interface WantedHints {
  readonly readOnlyHint?: boolean | undefined
  readonly destructiveHint?: boolean | undefined
  readonly idempotentHint?: boolean | undefined
  readonly openWorldHint?: boolean | undefined
}

/** Which operations may run: id patterns (`"fs.*"`) and hints. Without `allow` all may; `deny` wins over `allow`. */
export interface FilterOptions {
  readonly allow?: readonly string[] | undefined
  readonly deny?: readonly string[] | undefined
  /**
   * What the annotations must say. A hint that is missing counts as the MCP specification says: not read-only, destructive, not
   * idempotent, open world; what is read-only is not destructive. Hints are the server's own word and verified by nobody: this
   * keeps an honest server's tools apart, and stops no dishonest one.
   */
  readonly annotations?: WantedHints | undefined
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const

/** A middleware that refuses operations by their id or annotations, with ACCESS_DENIED and nothing started. */
export function filter({ allow, deny = [], annotations: wanted = {} }: FilterOptions): Middleware {
  return (call, next) => {
    const fits = (pattern: string) => matchesOperationId(pattern, call.id)
    if (deny.some(fits)) return refused(call.id, "deny", "is on the list of denied operations")
    if (allow !== undefined && !allow.some(fits)) return refused(call.id, "allow", "is not on the list of allowed operations")
    const said = hintsOf(call.spec)
    const unfit = HINTS.find((hint) => wanted[hint] !== undefined && wanted[hint] !== said[hint])
    return unfit === undefined ? next() : refused(call.id, "annotations", `does not have the ${unfit} that is wanted`)
  }
}

function hintsOf({ annotations = {} }: OperationSpec): Required<Record<(typeof HINTS)[number], boolean>> {
  const readOnlyHint = annotations["readOnlyHint"] === true
  return {
    readOnlyHint,
    destructiveHint: !readOnlyHint && annotations["destructiveHint"] !== false,
    idempotentHint: annotations["idempotentHint"] === true,
    openWorldHint: annotations["openWorldHint"] !== false,
  }
}

function refused(id: string, rule: "allow" | "deny" | "annotations", why: string): Promise<never> {
  return Promise.reject(new CallError("ACCESS_DENIED", `"${id}" ${why}`, { details: { operationId: id, missing: { filter: rule }, outcome: "not_started" } }))
}
