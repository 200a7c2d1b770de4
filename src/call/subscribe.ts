/**
 * Subscribing to an operation wherever it lives.
 */
import type { ResponseEnvelope } from "../envelope.js"
import type { OperationContext } from "../operation.js"
import type { CallTarget } from "../registry.js"

/**
 * The envelopes of a subscription of any target: a registry, a map of pending requests, a router. Nothing begins before the
 * first one is asked for; leaving the loop ends it.
 *
 * @throws CallError from `next()`
 */
export function subscribe(target: CallTarget, operationId: string, input?: unknown, context?: OperationContext): AsyncIterable<ResponseEnvelope> {
  return target.subscribe(operationId, input, context)
}
