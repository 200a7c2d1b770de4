/**
 * One subscription whose items come over a transport.
 *
 * In: the events of its transport. Out: an iterator of envelopes, in the order of their `seq`. The worker may be ahead of the
 * consumer by a window of items and no more: room is granted as items are taken.
 */
import type { ResponseEnvelope } from "../envelope.js"
import { CallError, callErrorFromJSON } from "../error.js"
import type { OperationContext } from "../operation.js"
import type { CallAnswer, CallRequested } from "./events.js"
import { abortedError, envelopeOf, PendingWatch, type Pending } from "./pending.js"
import type { OpenCall } from "./transport.js"

type Step = IteratorResult<ResponseEnvelope, undefined>
const OVER: Step = Object.freeze({ done: true, value: undefined })

interface Waiter {
  readonly resolve: (step: Step) => void
  readonly reject: (error: CallError) => void
}

/** A subscription between its request and its end. */
export class PendingSubscription implements AsyncIterableIterator<ResponseEnvelope>, Pending {
  readonly #window: number
  readonly #openUp: (subscription: PendingSubscription) => void
  readonly #items: ResponseEnvelope[] = []
  readonly #waiters: Waiter[] = []
  #request: CallRequested | undefined
  #left: ((pending: Pending) => void) | undefined
  #watch: PendingWatch | undefined
  #open: OpenCall | undefined
  #asked = false
  #ended = false
  #failure: CallError | undefined
  #nextSeq = 0
  #taken = 0

  constructor(window: number, openUp: (subscription: PendingSubscription) => void) {
    this.#window = window
    this.#openUp = openUp
  }

  get requestId(): string {
    return this.#request?.requestId ?? ""
  }

  begin(request: CallRequested, context: OperationContext | undefined, left: (pending: Pending) => void): this {
    this.#request = request
    this.#left = left
    this.#watch = new PendingWatch(request, context, this)
    return this
  }

  /** Ends a subscription that was never sent. */
  refuse(error: CallError): void {
    this.#end(error)
  }

  opened(open: OpenCall): void {
    this.#open = open
    if (this.#ended) open.abort()
    else open.grant(this.#window)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Step> {
    if (!this.#asked && !this.#ended) {
      this.#asked = true
      this.#openUp(this)
    }
    const item = this.#items.shift()
    if (item !== undefined) {
      this.#makeRoom()
      return Promise.resolve({ done: false, value: item })
    }
    if (this.#failure !== undefined) {
      const failure = this.#failure
      this.#failure = undefined
      return Promise.reject(failure)
    }
    if (this.#ended) return Promise.resolve(OVER)
    return new Promise((resolve, reject) => this.#waiters.push({ resolve, reject }))
  }

  return(): Promise<Step> {
    this.#items.length = 0
    if (this.#end(undefined)) this.#open?.abort()
    this.#failure = undefined
    return Promise.resolve(OVER)
  }

  take(event: CallAnswer): boolean {
    switch (event.type) {
      case "call.progress":
        this.#watch?.progress(event)
        return true
      case "call.completed":
        return this.#end(undefined)
      case "call.error":
        return this.#end(callErrorFromJSON(event))
      case "call.responded":
        return this.#takeItem(event.output, event.seq)
    }
  }

  fail(error: CallError): void {
    if (this.#end(error)) this.#open?.abort()
  }

  abort(reason: unknown): void {
    this.fail(abortedError(this.#request?.operationId ?? "", reason, "unknown"))
  }

  #takeItem(output: unknown, seq: number | undefined): boolean {
    if (this.#ended || (seq !== undefined && seq < this.#nextSeq)) return false
    const operationId = this.#request?.operationId ?? ""
    this.#watch?.alive()
    const item = envelopeOf(output, operationId)
    if (item instanceof CallError) {
      this.fail(item)
      return true
    }
    if (seq !== undefined && seq !== this.#nextSeq) {
      const lost = `Item ${String(this.#nextSeq)} of "${operationId}" was lost: item ${String(seq)} came in its place`
      this.fail(new CallError("PROTOCOL_ERROR", lost, { details: { operationId, outcome: "unknown" } }))
      return true
    }
    this.#nextSeq++
    const waiter = this.#waiters.shift()
    if (waiter === undefined) this.#items.push(item)
    else {
      this.#makeRoom()
      waiter.resolve({ done: false, value: item })
    }
    // An answer without a number is the only one: the operation is no subscription.
    if (seq === undefined) this.#end(undefined)
    return true
  }

  /** Room is granted in halves of the window: one grant an item would double the traffic of a wire. */
  #makeRoom(): void {
    if (++this.#taken < this.#window / 2) return
    this.#open?.grant(this.#taken)
    this.#taken = 0
  }

  #end(error: CallError | undefined): boolean {
    if (this.#ended) return false
    this.#ended = true
    this.#watch?.stop()
    this.#left?.(this)
    this.#failure = error
    for (const waiter of this.#waiters.splice(0)) {
      if (this.#failure === undefined) waiter.resolve(OVER)
      else {
        const failure = this.#failure
        this.#failure = undefined
        waiter.reject(failure)
      }
    }
    return true
  }
}
