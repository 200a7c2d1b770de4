/**
 * The pipeline of a subscription: the same checks as for a call, then one envelope an item.
 *
 * In: a registered operation, the input, the caller's context. Out: an iterator of envelopes that pulls: the handler's generator
 * makes an item when the consumer asks for one. Leaving early, the deadline and an abort end the generator by `return()`.
 * No default deadline: subscriptions live as long as they are wanted.
 */
import { localEnvelope, type ResponseEnvelope } from "../envelope.js"
import { mapError, type CallError } from "../error.js"
import { atDeadline, onAbort, type OperationContext } from "../operation.js"
import type { CallContext } from "./call_context.js"
import { runChain, type MiddlewareCall } from "./middleware_chain.js"
import type { AnyHandler, Registered } from "./registered.js"
import { askCustomAuth, begin, checkDeclaredAccess, isAsyncIterable, toEnvelope, type CallRules } from "./run_call.js"
import { abortedError, settle, timeoutError } from "./settle.js"

/** What a subscription is made of. `lookUp` finds the operation when the first item is asked for. */
export interface SubscriptionRequest {
  readonly lookUp: () => Registered
  readonly input: unknown
  readonly caller: OperationContext | undefined
  readonly rules: () => CallRules
  readonly trusted: boolean
}

/** The envelopes of a subscription; nothing begins before the first `next()`. */
export function runSubscription(request: SubscriptionRequest): AsyncIterableIterator<ResponseEnvelope> {
  return new SubscriptionRun(request)
}

interface Begun {
  readonly registered: Registered
  readonly handler: AnyHandler
  readonly context: CallContext
  readonly rules: CallRules
}

type Step = IteratorResult<ResponseEnvelope, undefined>
const OVER: Step = Object.freeze({ done: true, value: undefined })

class SubscriptionRun implements AsyncIterableIterator<ResponseEnvelope> {
  readonly #request: SubscriptionRequest
  #begun: Begun | undefined
  #items: AsyncIterator<unknown> | undefined
  #seq = 0
  #done = false
  #failure: CallError | undefined
  #turn: Promise<unknown> = Promise.resolve()
  #unwatch: () => void = () => undefined

  constructor(request: SubscriptionRequest) {
    this.#request = request
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Step> {
    // One item at a time, in the order they were asked for.
    const item = this.#turn.then(() => this.#pull())
    this.#turn = item.catch(() => undefined)
    return item
  }

  return(): Promise<Step> {
    this.#end("the consumer left")
    return Promise.resolve(OVER)
  }

  async #pull(): Promise<Step> {
    try {
      if (this.#failure !== undefined) throw this.#failure
      if (this.#done) return OVER
      const begun = (this.#begun ??= await this.#begin())
      // Looked at here, too: a generator that never waits for anything outside lets no timer run.
      const { deadline } = begun.context
      if (Date.now() >= deadline) throw timeoutError(begun.registered.id, deadline, "unknown")
      const item = this.#items === undefined ? await this.#first(begun) : await this.#later(begun, this.#items)
      if (item === undefined || this.#hasEnded()) {
        this.#end(undefined)
        return OVER
      }
      this.#seq++
      return { done: false, value: item }
    } catch (thrown) {
      this.#failure = undefined
      this.#end(thrown)
      throw mapError(thrown, this.#begun?.registered.declaredCodes)
    }
  }

  // A method of its own: the consumer may leave while an item is made, which the compiler cannot see.
  #hasEnded(): boolean {
    return this.#done
  }

  async #begin(): Promise<Begun> {
    const { lookUp, input, caller, trusted } = this.#request
    const registered = lookUp()
    const rules = this.#request.rules()
    const custom = trusted ? undefined : checkDeclaredAccess(registered, caller?.identity)
    if (custom !== undefined) await askCustomAuth(registered, custom, caller?.identity, rules)
    const { context, handler } = begin(registered, input, caller, rules, Infinity)
    const unhear = onAbort(caller, (reason) => this.#stop(abortedError(registered.id, reason, "unknown")))
    const cancel = atDeadline(context.deadline, () => this.#stop(timeoutError(registered.id, context.deadline, "unknown")))
    this.#unwatch = () => {
      unhear()
      cancel()
    }
    return { registered, handler, context, rules }
  }

  /** The chain is asked before the handler is reached: where it refuses, the handler never began. */
  async #first(begun: Begun): Promise<ResponseEnvelope | undefined> {
    const { registered, handler, context, rules } = begun
    const call = this.#call(begun)
    const chain = runChain(rules.middleware, call, async (input) => {
      if (input !== this.#request.input) registered.validateInput(input)
      // Handlers take `never` so that each of them is assignable; the input has been checked against their schema.
      const result: unknown = await handler.call(registered.spec, input as never, context)
      const items = isAsyncIterable(result) ? result[Symbol.asyncIterator]() : oneItem(result)
      this.#items = items
      return take(begun, call, items)
    })
    const envelope = await this.#bounded(begun, chain)
    return call.ended ? undefined : envelope
  }

  async #later(begun: Begun, items: AsyncIterator<unknown>): Promise<ResponseEnvelope | undefined> {
    const call = this.#call(begun)
    const envelope = await this.#bounded(begun, take(begun, call, items))
    if (call.ended) return undefined
    if (begun.rules.middleware.length === 0) return envelope
    return this.#bounded(begun, runChain(begun.rules.middleware, call, () => Promise.resolve(envelope)))
  }

  #bounded<T>({ registered, context }: Begun, work: Promise<T>): Promise<T> {
    return settle(work, context, this.#request.caller, registered.id, (thrown) => mapError(thrown, registered.declaredCodes))
  }

  #call({ registered, context }: Begun): MiddlewareCall & { ended: boolean } {
    return { id: registered.id, spec: registered.spec, input: this.#request.input, context, seq: this.#seq, ended: false }
  }

  #stop(error: CallError): void {
    if (this.#done) return
    this.#failure = error
    this.#end(error)
  }

  #end(reason: unknown): void {
    if (this.#done) return
    this.#done = true
    this.#unwatch()
    this.#begun?.context.abort(reason)
    // Not awaited: a generator that waits for something answers return() only after that.
    this.#items?.return?.().catch(() => undefined)
  }
}

async function take({ registered, rules }: Begun, call: { ended: boolean }, items: AsyncIterator<unknown>): Promise<ResponseEnvelope> {
  const step = await items.next()
  if (step.done === true) {
    call.ended = true
    return localEnvelope(null, registered.id)
  }
  return toEnvelope(registered, step.value, rules.checkJSON)
}

/** A handler that gives one result is a subscription of one item. */
function oneItem(value: unknown): AsyncIterator<unknown> {
  let given = false
  return {
    next: () => {
      const step = given ? { done: true as const, value: undefined } : { done: false as const, value }
      given = true
      return Promise.resolve(step)
    },
  }
}
