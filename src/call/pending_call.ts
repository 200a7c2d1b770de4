/**
 * One call that waits for its answer.
 *
 * In: the request, the caller's context, the events of its transport. Out: its promise settles once. What ends it from this
 * side is told to the worker.
 */
import type { ResponseEnvelope } from "../envelope.js"
import { CallError, callErrorFromJSON } from "../error.js"
import type { OperationContext } from "../operation.js"
import type { CallAnswer, CallRequested } from "./events.js"
import { abortedError, envelopeOf, PendingWatch, type Pending } from "./pending.js"
import type { OpenCall } from "./transport.js"

/** A call between its request and its answer. */
export class PendingCall implements Pending {
  readonly #request: CallRequested
  readonly #left: (pending: Pending) => void
  readonly #resolve: (envelope: ResponseEnvelope) => void
  readonly #reject: (error: CallError) => void
  readonly #watch: PendingWatch
  #open: OpenCall | undefined
  #settled = false

  constructor(
    request: CallRequested,
    context: OperationContext | undefined,
    left: (pending: Pending) => void,
    resolve: (envelope: ResponseEnvelope) => void,
    reject: (error: CallError) => void,
  ) {
    this.#request = request
    this.#left = left
    this.#resolve = resolve
    this.#reject = reject
    this.#watch = new PendingWatch(request, context, this)
  }

  get requestId(): string {
    return this.#request.requestId
  }

  opened(open: OpenCall): void {
    this.#open = open
    // Of a subscription a call wants the first item, and a worker waits for room before it makes one.
    open.grant(1)
  }

  take(event: CallAnswer): boolean {
    if (event.type === "call.progress") {
      this.#watch.progress(event)
      return true
    }
    if (!this.#settle()) return false
    if (event.type === "call.error") this.#reject(callErrorFromJSON(event))
    else if (event.type === "call.completed") this.#reject(endedWithout(this.#request.operationId))
    else {
      const envelope = envelopeOf(event.output, this.#request.operationId)
      if (envelope instanceof CallError) this.#reject(envelope)
      else this.#resolve(envelope)
      // The first item of a subscription is all that a call wants.
      if (event.seq !== undefined) this.#open?.abort()
    }
    return true
  }

  fail(error: CallError): void {
    if (!this.#settle()) return
    this.#reject(error)
    this.#open?.abort()
  }

  abort(reason: unknown): void {
    this.fail(abortedError(this.#request.operationId, reason, "unknown"))
  }

  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    this.#watch.stop()
    this.#left(this)
    return true
  }
}

function endedWithout(operationId: string): CallError {
  return new CallError("PROTOCOL_ERROR", `"${operationId}" ended without an answer`, { details: { operationId, outcome: "unknown" } })
}
