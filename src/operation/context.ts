/**
 * What travels with a call beside its input.
 *
 * Every member is optional: a handler of an MCP operation may be called with no context at all.
 */
import type { ResponseEnvelope } from "../envelope.js"
import type { Identity } from "./identity.js"

/** A step of a call that is under way. `total` and `message` are there where the worker said so. */
export interface Progress {
  readonly progress: number
  readonly total?: number | undefined
  readonly message?: string | undefined
}

/** What a child call may say of itself; identity and deadline of the parent count in any case. */
export type ChildCallOptions = Pick<OperationContext, "signal" | "deadline" | "timeoutMs" | "idleTimeoutMs" | "onProgress" | "metadata">

/** The operations of one namespace as functions. */
export interface OperationEnvNamespace {
  readonly [name: string]: (input?: unknown, options?: ChildCallOptions) => Promise<ResponseEnvelope>
}

/**
 * Other operations as functions: `env.namespace.name(input)` gives the envelope of a child call. `env.subscribe(id, input)` gives
 * the envelopes of a subscription.
 */
export interface OperationEnv {
  readonly [namespace: string]: OperationEnvNamespace
  readonly subscribe: ((operationId: string, input?: unknown, options?: ChildCallOptions) => AsyncIterable<ResponseEnvelope>) & OperationEnvNamespace
}

/** What a caller may say about a call. */
export interface OperationContext {
  /** Who calls; decides what is allowed, and which session a server connection uses. */
  readonly identity?: Identity | undefined
  /** Stops the call: it rejects with ABORTED, and the worker is told. The reason stays in this process. */
  readonly signal?: AbortSignal | undefined
  /** The latest end of the call, in epoch milliseconds. Nothing extends it; child calls inherit it. */
  readonly deadline?: number | undefined
  /** The longest duration of the call, in milliseconds from now. The earlier one of `deadline` and this counts. */
  readonly timeoutMs?: number | undefined
  /** The longest silence in milliseconds: progress starts it anew, the deadline it cannot move. */
  readonly idleTimeoutMs?: number | undefined
  readonly requestId?: string | undefined
  readonly parentRequestId?: string | undefined
  /** Called for each step of progress that the worker reports; what it throws is ignored. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
  /** W3C trace context, passed on. */
  readonly traceparent?: string | undefined
  /** Facts of the host that travel with the call, JSON only. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** Other operations, for handlers that call them. */
  readonly env?: OperationEnv | undefined
}
