/**
 * What carries the events of the call protocol: the contract that every transport keeps.
 *
 * The caller's side opens calls, the worker's side serves them. Flow control is the worker's: it sends an item of a
 * subscription after `credit()` has resolved, and the caller grants as many items as it has room for.
 * `test/contract/transport.ts` is this contract as a test suite; every transport runs it.
 */
import type { Identity } from "../operation.js"
import type { CallAnswer, CallRequested } from "./events.js"

/** One open call, as its caller holds it. */
export interface OpenCall {
  /** Tells the worker to stop. Nothing is waited for; the second time does nothing. */
  abort(): void
  /** Lets the worker send so many items more. A call that is no subscription needs none. */
  grant(items: number): void
}

/** Who sent a request, as the transport knows it: the only place an identity is taken from. */
export interface CallPeer {
  readonly identity?: Identity | undefined
}

/** The way back to the caller of one request. */
export interface CallReply {
  /** Sends an event; resolves when it has been handed on. Rejects with CallError when it cannot be. */
  send(event: CallAnswer): Promise<void>
  /** Resolves when the caller has room for one item more; takes that room. Rejects when the call is aborted. */
  credit(): Promise<void>
  /** Aborted when the caller stops the call or is lost. */
  readonly signal: AbortSignal
}

/** What a worker does with a request. It must not throw. */
export type CallRequestHandler = (request: CallRequested, peer: CallPeer, reply: CallReply) => void

/** A worker that serves. */
export interface ServedCalls {
  /** Takes no new calls and waits for the open ones, at most so many milliseconds; then it closes. */
  drain(timeoutMs: number): Promise<void>
  /** Takes no new calls and aborts the open ones. */
  close(): Promise<void>
}

/** Carries calls from callers to workers. */
export interface CallTransport {
  /**
   * Opens a call. Every answer goes to the sink, in order, until the first one that ends the call. Never throws: what goes wrong
   * is a `call.error`.
   */
  open(request: CallRequested, sink: (event: CallAnswer) => void): OpenCall
  /** Serves calls that are opened at the other end. */
  serve(handler: CallRequestHandler): ServedCalls
  readonly status: "up" | "down"
  /** Calls the listener when the status changes; gives the function that takes it away. */
  onStatus(listener: (status: "up" | "down") => void): () => void
  /** Ends everything: open calls get `call.error` TRANSPORT_ERROR, outcome unknown. */
  close(): Promise<void>
}
