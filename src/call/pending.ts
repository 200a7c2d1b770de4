/**
 * What waits in a map of pending requests, and what ends it from this side: the deadline, silence, the caller.
 *
 * In: a request and its caller's context. Out: one call of `fail` or `abort` of what waits, at most.
 */
import { isResponseEnvelope, type ResponseEnvelope } from "../envelope.js"
import { CallError, type Outcome } from "../error.js"
import { atDeadline, onAbort, unwatchDeadline, watchDeadline, type DeadlineBucket, type DeadlineTarget, type OperationContext } from "../operation.js"
import type { CallAnswer, CallProgress, CallRequested } from "./events.js"

/** One waiting request, as the map sees it. */
export interface Pending {
  readonly requestId: string
  /** False where the event changes nothing: it is a repetition, or came after the end. */
  take(event: CallAnswer): boolean
  fail(error: CallError): void
  abort(reason: unknown): void
}

/** Watches over one request until `stop()`: its deadline, its idle limit, its caller's abort. */
export class PendingWatch implements DeadlineTarget {
  readonly #request: CallRequested
  readonly #context: OperationContext | undefined
  readonly #pending: Pending
  readonly #bucket: DeadlineBucket | undefined
  readonly #unhear: (() => void) | undefined
  #cancelIdle: (() => void) | undefined

  constructor(request: CallRequested, context: OperationContext | undefined, pending: Pending) {
    this.#request = request
    this.#context = context
    this.#pending = pending
    this.#bucket = watchDeadline(request.deadline ?? Infinity, this)
    if (context !== undefined) this.#unhear = onAbort(context, (reason) => pending.abort(reason))
    this.alive()
  }

  /** The deadline has passed. */
  expire(): void {
    const { operationId, deadline } = this.#request
    this.#pending.fail(
      new CallError("TIMEOUT", `The deadline of "${operationId}" passed before there was an answer`, {
        details: { operationId, deadline, outcome: "unknown" },
      }),
    )
  }

  /** Something was heard of the call: the idle limit starts anew. */
  alive(): void {
    const { operationId, idleTimeoutMs } = this.#request
    if (idleTimeoutMs === undefined) return
    this.#cancelIdle?.()
    this.#cancelIdle = atDeadline(Date.now() + idleTimeoutMs, () =>
      this.#pending.fail(
        new CallError("TIMEOUT", `Nothing was heard of "${operationId}" for ${String(idleTimeoutMs)} ms`, {
          details: { operationId, idleTimeoutMs, outcome: "unknown" },
        }),
      ),
    )
  }

  /** Hands progress to the caller; what its function throws is its own. */
  progress({ progress, total, message }: CallProgress): void {
    this.alive()
    try {
      this.#context?.onProgress?.({ progress, ...(total === undefined ? {} : { total }), ...(message === undefined ? {} : { message }) })
    } catch {
      // A fault of the listener does not end the call.
    }
  }

  stop(): void {
    unwatchDeadline(this.#bucket, this)
    this.#cancelIdle?.()
    this.#unhear?.()
  }
}

/** The envelope in an answer, or the error that stands for what is none. */
export function envelopeOf(output: unknown, operationId: string): ResponseEnvelope | CallError {
  if (isResponseEnvelope(output)) return output
  return new CallError("PROTOCOL_ERROR", `The answer to "${operationId}" is no response envelope`, { details: { operationId, outcome: "unknown" } })
}

/** The error of a call that its caller stopped; the reason stays here, as the cause. */
export function abortedError(operationId: string, reason: unknown, outcome: Outcome): CallError {
  return new CallError("ABORTED", `The caller stopped "${operationId}"`, { details: { operationId, outcome }, cause: reason })
}
