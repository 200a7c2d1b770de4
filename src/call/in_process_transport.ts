/**
 * The transport within one process: no server, no serialisation, and the same contract as over a wire.
 *
 * In: calls opened at one end. Out: the same objects at the other end, in the same turn.
 * Trusted by default: both ends are this process, so the identity in the event is the caller's. With `identify` it is not, and
 * the identity is what that function says.
 */
import { CallError } from "../error.js"
import type { Identity } from "../operation.js"
import type { CallAnswer, CallRequested } from "./events.js"
import { ReplyState } from "./reply_state.js"
import type { CallPeer, CallReply, CallRequestHandler, CallTransport, OpenCall, ServedCalls } from "./transport.js"

/** How an in-process transport treats identities. */
export interface InProcessTransportOptions {
  /** Says who sent a request, in place of what the request says itself. Without it the ends trust each other. */
  readonly identify?: ((request: CallRequested) => Identity | undefined) | undefined
}

/** A transport whose two ends are in this process. Close it to end what is open. */
export function createInProcessTransport(options: InProcessTransportOptions = {}): CallTransport {
  return new InProcessTransport(options)
}

class InProcessTransport implements CallTransport {
  readonly #identify: InProcessTransportOptions["identify"]
  readonly #open = new Set<InProcessCall>()
  readonly #listeners = new Set<(status: "up" | "down") => void>()
  #worker: Worker | undefined
  #status: "up" | "down" = "up"

  constructor({ identify }: InProcessTransportOptions) {
    this.#identify = identify
  }

  get status(): "up" | "down" {
    return this.#status
  }

  onStatus(listener: (status: "up" | "down") => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  open(request: CallRequested, sink: (event: CallAnswer) => void): OpenCall {
    const worker = this.#worker
    const call = new InProcessCall(request.requestId, sink, this.#open, worker)
    if (this.#status === "down") {
      call.fail("TRANSPORT_ERROR", "The transport is closed", "not_started")
      return call
    }
    if (worker === undefined || worker.draining) {
      call.fail("TRANSPORT_ERROR", "Nobody serves calls on this transport", "not_started")
      return call
    }
    this.#open.add(call)
    worker.calls.add(call)
    const identity = this.#identify === undefined ? request.identity : this.#identify(request)
    const peer: CallPeer = identity === undefined ? {} : { identity }
    worker.handler(request, peer, call)
    return call
  }

  serve(handler: CallRequestHandler): ServedCalls {
    if (this.#worker !== undefined) throw new CallError("CONFIGURATION_ERROR", "This transport is served already")
    if (this.#status === "down") throw new CallError("TRANSPORT_ERROR", "The transport is closed", { details: { outcome: "not_started" } })
    const worker = new Worker(handler)
    this.#worker = worker
    const close = () => {
      worker.draining = true
      if (this.#worker === worker) this.#worker = undefined
      for (const call of worker.calls) call.lost("The worker was closed")
      return Promise.resolve()
    }
    const drain = async (timeoutMs: number) => {
      worker.draining = true
      await worker.empty(timeoutMs)
      await close()
    }
    return { drain, close }
  }

  close(): Promise<void> {
    if (this.#status === "up") {
      this.#status = "down"
      for (const call of this.#open) call.lost("The transport was closed")
      for (const listener of this.#listeners) listener("down")
    }
    return Promise.resolve()
  }
}

class Worker {
  readonly calls = new Set<InProcessCall>()
  draining = false
  #whenEmpty: (() => void) | undefined

  constructor(readonly handler: CallRequestHandler) {}

  left(call: InProcessCall): void {
    this.calls.delete(call)
    if (this.calls.size === 0) this.#whenEmpty?.()
  }

  empty(timeoutMs: number): Promise<void> {
    if (this.calls.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#whenEmpty = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** Both ends of one call. */
class InProcessCall extends ReplyState implements OpenCall, CallReply {
  protected readonly requestId: string
  readonly #sink: (event: CallAnswer) => void
  readonly #open: Set<InProcessCall>
  readonly #worker: Worker | undefined

  constructor(requestId: string, sink: (event: CallAnswer) => void, open: Set<InProcessCall>, worker: Worker | undefined) {
    super()
    this.requestId = requestId
    this.#sink = sink
    this.#open = open
    this.#worker = worker
  }

  abort(): void {
    if (!this.over) this.stop()
  }

  send(event: CallAnswer): Promise<void> {
    if (this.over) return Promise.reject(this.goneError())
    if (event.type === "call.progress" || (event.type === "call.responded" && event.seq !== undefined)) {
      this.#sink(event)
      return SENT
    }
    this.#end()
    this.#sink(event)
    return SENT
  }

  fail(code: string, message: string, outcome: "not_started" | "unknown"): void {
    if (this.over) return
    this.#end()
    this.#sink({ type: "call.error", requestId: this.requestId, code, message, details: { outcome } })
  }

  lost(message: string): void {
    this.fail("TRANSPORT_ERROR", message, "unknown")
    this.stop()
  }

  #end(): void {
    this.finish()
    this.#open.delete(this)
    this.#worker?.left(this)
  }
}

const SENT = Promise.resolve()
