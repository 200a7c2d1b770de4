/**
 * Asks the host before a call runs.
 */
import { CallError } from "../error.js"
import type { Identity, OperationSpec } from "../operation.js"
import type { Middleware } from "../registry.js"

/** What the host is asked about. */
export interface ApprovalRequest {
  readonly operationId: string
  readonly spec: OperationSpec
  readonly input: unknown
  readonly identity: Identity | undefined
  /** What the server says of the tool. Nobody has verified it: it must not be the reason to allow anything. */
  readonly unverifiedHints: Readonly<Record<string, unknown>>
}

/**
 * A middleware that runs a call only where the function answers `true`; else ACCESS_DENIED, with nothing started. A subscription
 * is asked about once. The deadline of the call goes on while the host decides.
 */
export function approve(decide: (request: ApprovalRequest) => boolean | Promise<boolean>): Middleware {
  return async (call, next) => {
    if (call.seq !== undefined && call.seq > 0) return next()
    const { id: operationId, spec, input } = call
    const answer: unknown = await decide({ operationId, spec, input, identity: call.context.identity, unverifiedHints: spec.annotations ?? {} })
    if (answer === true) return next()
    throw new CallError("ACCESS_DENIED", `"${operationId}" was not approved`, { details: { operationId, missing: { approval: true }, outcome: "not_started" } })
  }
}
