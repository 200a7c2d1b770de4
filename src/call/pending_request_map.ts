/**
 * Matches answers to the calls that wait for them: the caller's side of the call protocol.
 *
 * In: calls, and the events a transport brings for them. Out: one settled promise for a call, one iterator for a subscription.
 * Every call ends: by an answer, its deadline, its caller, or the end of the map. An answer to an unknown or settled request is
 * counted and nothing else: late answers are normal after a timeout, and forged ones settle nothing.
 */
import type { ResponseEnvelope } from "../envelope.js"
import { CallError, type CallErrorCode } from "../error.js"
import { onAbort, resolveDeadline, type OperationContext } from "../operation.js"
import { jsonDifference, type CallTarget } from "../registry.js"
import type { CallAnswer, CallRequested } from "./events.js"
import { abortedError, type Pending } from "./pending.js"
import { PendingCall } from "./pending_call.js"
import { PendingSubscription } from "./pending_subscription.js"
import type { CallTransport } from "./transport.js"

/** What a map of pending requests is made with. */
export interface PendingRequestMapOptions {
  readonly transport: CallTransport
  /** Most calls that may wait at once. Default 10,000; one more is RESOURCE_EXHAUSTED, and nothing of it is sent. */
  readonly maxPending?: number | undefined
  /** The longest duration of a call that names none, in milliseconds. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** How many items of a subscription may be under way to its consumer. Default 32. */
  readonly window?: number | undefined
  /** `"check"` (default) refuses an input that JSON would change, so that a call means the same over every transport. */
  readonly json?: "check" | "off" | undefined
}

/** Sends calls over a transport and gives each one its answer. Close it when it is no longer used. */
export class PendingRequestMap implements CallTarget {
  readonly #pending = new Map<string, Pending>()
  readonly #transport: CallTransport
  readonly #maxPending: number
  readonly #timeoutMs: number
  readonly #window: number
  readonly #checkJSON: boolean
  readonly #prefix = randomText()
  #count = 0
  #ignored = 0
  #closed = false

  constructor(options: PendingRequestMapOptions) {
    this.#transport = options.transport
    this.#maxPending = options.maxPending ?? 10_000
    this.#timeoutMs = options.timeoutMs ?? 60_000
    this.#window = options.window ?? 32
    this.#checkJSON = options.json !== "off"
  }

  /** How many calls and subscriptions wait at this moment. */
  get pendingCount(): number {
    return this.#pending.size
  }

  /** How many answers came for requests that are unknown or settled. */
  get ignoredCount(): number {
    return this.#ignored
  }

  /** Calls an operation at the other end and gives its envelope. @throws CallError always, never anything else */
  call(operationId: string, input?: unknown, context?: OperationContext): Promise<ResponseEnvelope> {
    return new Promise((resolve, reject) => {
      const request = this.#admit(operationId, input, context, this.#timeoutMs, reject)
      if (request !== undefined) this.#start(new PendingCall(request, context, this.#left, resolve, reject), request)
    })
  }

  /** The same as `call`: what routers and environments call. */
  execute(operationId: string, input?: unknown, context?: OperationContext): Promise<ResponseEnvelope> {
    return this.call(operationId, input, context)
  }

  /**
   * The envelopes of a subscription at the other end; it is opened when the first one is asked for, and leaving the loop ends it.
   *
   * @throws CallError from `next()`
   */
  subscribe(operationId: string, input?: unknown, context?: OperationContext): AsyncIterableIterator<ResponseEnvelope> {
    return new PendingSubscription(this.#window, (subscription) => {
      const request = this.#admit(operationId, input, context, Infinity, (error) => subscription.refuse(error))
      if (request !== undefined) this.#start(subscription.begin(request, context, this.#left), request)
    })
  }

  /** Answers a waiting request; false where nothing waits under that id. What is no envelope ends the call with PROTOCOL_ERROR. */
  respond(requestId: string, output: unknown, seq?: number): boolean {
    return this.#take({ type: "call.responded", requestId, output, ...(seq === undefined ? {} : { seq }) })
  }

  /** Ends a waiting request with an error; false where nothing waits under that id. */
  emitError(requestId: string, code: string, message: string, details?: Record<string, unknown>): boolean {
    return this.#take({ type: "call.error", requestId, code, message, ...(details === undefined ? {} : { details }) })
  }

  /** Ends a waiting subscription; false where nothing waits under that id. */
  complete(requestId: string): boolean {
    return this.#take({ type: "call.completed", requestId })
  }

  /** Stops a waiting request: it rejects with ABORTED and the worker is told; false where nothing waits under that id. */
  abort(requestId: string, reason?: unknown): boolean {
    const pending = this.#pending.get(requestId)
    if (pending === undefined) return false
    pending.abort(reason)
    return true
  }

  /** Takes an event that came some other way than by this map's transport; false where nothing waits for it. */
  handle(event: CallAnswer): boolean {
    return this.#take(event)
  }

  /** Rejects all that waits, tells the workers to stop, and takes no calls any more. The transport stays open. */
  close(): Promise<void> {
    this.#closed = true
    for (const pending of this.#pending.values()) {
      pending.fail(new CallError("TRANSPORT_ERROR", "The map of pending requests was closed", { details: { outcome: "unknown" } }))
    }
    return Promise.resolve()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** The request to send; undefined where it is refused. */
  #admit(
    operationId: string,
    input: unknown,
    context: OperationContext | undefined,
    timeoutMs: number,
    refuse: (error: CallError) => void,
  ): CallRequested | undefined {
    const now = Date.now()
    const deadline = resolveDeadline(context, timeoutMs, now)
    const error = this.#refusal(operationId, input, context, deadline, now)
    if (error !== undefined) {
      refuse(error)
      return undefined
    }
    const request: CallRequested = { type: "call.requested", requestId: this.#newRequestId(context), operationId, input: input === undefined ? null : input }
    if (deadline !== Infinity) request.deadline = deadline
    if (context === undefined) return request
    if (context.parentRequestId !== undefined) request.parentRequestId = context.parentRequestId
    if (context.idleTimeoutMs !== undefined) request.idleTimeoutMs = context.idleTimeoutMs
    if (context.identity !== undefined) request.identity = context.identity
    if (context.traceparent !== undefined) request.traceparent = context.traceparent
    if (context.metadata !== undefined) request.metadata = context.metadata
    return request
  }

  #refusal(operationId: string, input: unknown, context: OperationContext | undefined, deadline: number, now: number): CallError | undefined {
    const refused = (code: CallErrorCode, message: string, details: object = {}) =>
      new CallError(code, message, { details: { operationId, ...details, outcome: "not_started" } })
    if (this.#closed) return refused("TRANSPORT_ERROR", `"${operationId}" was called on a closed map`)
    if (this.#pending.size >= this.#maxPending) {
      const limit = this.#maxPending
      return refused("RESOURCE_EXHAUSTED", `"${operationId}" was refused: ${String(limit)} calls wait already`, { limit, value: this.#pending.size })
    }
    if (deadline <= now) return refused("TIMEOUT", `The deadline of "${operationId}" passed before it began`, { deadline })
    let aborted: CallError | undefined
    onAbort(context, (reason) => (aborted = abortedError(operationId, reason, "not_started")))()
    if (aborted !== undefined || !this.#checkJSON || input === undefined) return aborted
    const difference = jsonDifference(input)
    if (difference === undefined) return undefined
    const { pointer, reason } = difference
    const issues = [{ path: pointer, keyword: "json", message: reason }]
    return refused("VALIDATION_ERROR", `JSON would change the input of "${operationId}" at ${pointer === "" ? "the whole" : pointer}: ${reason}`, { issues })
  }

  #newRequestId(context: OperationContext | undefined): string {
    const wished = context?.requestId
    return wished !== undefined && !this.#pending.has(wished) ? wished : `${this.#prefix}${(this.#count++).toString(36)}`
  }

  #start(pending: PendingCall | PendingSubscription, request: CallRequested): void {
    this.#pending.set(request.requestId, pending)
    pending.opened(
      this.#transport.open(request, (event) => {
        const fits = event.requestId === request.requestId && this.#pending.get(request.requestId) === pending
        if (!fits || !pending.take(event)) this.#ignored++
      }),
    )
  }

  #take(event: CallAnswer): boolean {
    const taken = this.#pending.get(event.requestId)?.take(event) ?? false
    if (!taken) this.#ignored++
    return taken
  }

  readonly #left = (pending: Pending): void => {
    if (this.#pending.get(pending.requestId) === pending) this.#pending.delete(pending.requestId)
  }
}

function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(9))
  return Array.from(bytes, (byte) => byte.toString(36).padStart(2, "0")).join("")
}
