/**
 * A subscription at a worker, whose beginning may be tried again.
 *
 * In: a way to open it. Out: its items. Only the first item is asked for more than once: what has begun cannot be resumed.
 * No generator: one that waits for an item hears of `return()` only after that.
 */
import type { ResponseEnvelope } from "../envelope.js"

type Items = AsyncIterableIterator<ResponseEnvelope>
type Step = IteratorResult<ResponseEnvelope, undefined>

const OVER: Step = Object.freeze({ done: true, value: undefined })

/** The items of a subscription that is opened when the first one is asked for. */
export class RemoteSubscription implements Items {
  readonly #begin: (attempt: (open: () => Items) => Promise<Step>) => Promise<Step>
  #first: Promise<Step> | undefined
  #items: Items | undefined
  #ended = false

  /** `begin` runs the attempt with a way to open the subscription, again where that is harmless. */
  constructor(begin: (attempt: (open: () => Items) => Promise<Step>) => Promise<Step>) {
    this.#begin = begin
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<Step> {
    if (this.#first === undefined) {
      if (this.#ended) return Promise.resolve(OVER)
      this.#first = this.#begin((open) => {
        if (this.#ended) return Promise.resolve(OVER)
        this.#items = open()
        return this.#items.next()
      })
      return this.#first
    }
    // Whoever asks for several items at once gets them in order, and one error, not several.
    return this.#first.then(
      () => this.#items?.next() ?? OVER,
      () => OVER,
    )
  }

  async return(): Promise<Step> {
    this.#ended = true
    await this.#items?.return?.()
    return OVER
  }
}
