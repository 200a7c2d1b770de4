/**
 * The hook that an adapter offers around each request which it sends for a call: what telemetry is made with.
 *
 * Shapes only. Here and not with an adapter, because those who offer it and those who use it do not know each other.
 */
import type { CallError } from "../error.js"
import type { OperationContext } from "./context.js"

/** How a server is reached. */
export interface RequestNetwork {
  readonly transport: "pipe" | "tcp"
  /** `"http"` where that is spoken. */
  readonly protocol?: string | undefined
  readonly address?: string | undefined
  readonly port?: number | undefined
}

/** A request that is about to be sent: whom it goes to and what it is for. Never what is given or comes back. */
export interface OutgoingRequest {
  /** The method on the wire, such as `"tools/call"`. */
  readonly method: string
  /** The name that the host gave the client. */
  readonly server: string
  /** The name of the tool on the wire. */
  readonly tool: string
  readonly operationId: string
  /** The context that the handler was called with: the same object that a middleware of the registry saw. */
  readonly context: OperationContext | undefined
  readonly protocolVersion: string | undefined
  readonly sessionId: string | undefined
  readonly network: RequestNetwork | undefined
}

/** How a request ended: with a result as the server sent it, or with an error. */
export type RequestEnd = { readonly result: Readonly<Record<string, unknown>> } | { readonly error: CallError }

/** What is told of one request. */
export interface RequestObservation {
  /** Members that go into `params._meta`. */
  readonly meta?: Readonly<Record<string, unknown>> | undefined
  /** Hears the id that the request has on the wire. What it throws is ignored. */
  onRequestId?(id: number | string): void
  /** Called once. What it throws is ignored. */
  onEnd(end: RequestEnd): void
}

/** A listener to requests. */
export interface RequestInstrument {
  /**
   * Called before each request is sent, also before one that is sent again. A `CallError` that it throws ends the call with
   * nothing sent; anything else that it throws is ignored.
   */
  onRequest(request: OutgoingRequest): RequestObservation | undefined | Promise<RequestObservation | undefined>
}
