/**
 * Bounds how many calls run at once; more wait, and none of them longer than its deadline.
 *
 * In: work, with the context of its call. Out: its result, or a CallError with nothing started: RESOURCE_EXHAUSTED where the queue
 * is full, TIMEOUT where the deadline passed in the queue, ABORTED where the caller left it.
 */
import { CallError, type CallErrorCode } from "../error.js"
import { atDeadline, onAbort, type OperationContext } from "../operation.js"

/** The bounds of a limiter. */
export interface LimiterOptions {
  /** Most calls that run at once. */
  readonly maxInFlight: number
  /** Most calls that wait. Default: no bound but their deadlines. */
  readonly maxQueued?: number | undefined
  /** What is limited, as messages name it. */
  readonly name: string
}

interface Waiting {
  readonly start: () => void
}

/** Runs work within bounds, in the order it came. */
export class Limiter {
  readonly #options: LimiterOptions
  // A Set keeps the order and lets go of one in the middle at no cost.
  readonly #queue = new Set<Waiting>()
  #inFlight = 0

  constructor(options: LimiterOptions) {
    this.#options = options
  }

  /** How many run at this moment. */
  get inFlight(): number {
    return this.#inFlight
  }

  /** How many wait at this moment. */
  get queued(): number {
    return this.#queue.size
  }

  /** Runs the work when there is room. `deadline` is epoch milliseconds. @throws CallError see above, and whatever the work throws */
  async run<T>(work: () => Promise<T>, call: { readonly operationId: string; readonly deadline: number; readonly context?: OperationContext | undefined }): Promise<T> {
    if (this.#inFlight >= this.#options.maxInFlight) await this.#wait(call.operationId, call.deadline, call.context)
    else this.#inFlight++
    try {
      return await work()
    } finally {
      this.release()
    }
  }

  /** Takes a place at once where there is one; false where there is none. Give it back by `release()`. */
  tryAcquire(): boolean {
    if (this.#inFlight >= this.#options.maxInFlight) return false
    this.#inFlight++
    return true
  }

  /** Waits for a place, as `run` does. Give it back by `release()`. */
  async acquire(operationId: string, deadline: number, context?: OperationContext): Promise<void> {
    if (!this.tryAcquire()) await this.#wait(operationId, deadline, context)
  }

  /** Gives a place back; the one who waits longest gets it. */
  release(): void {
    const [next] = this.#queue
    if (next === undefined) this.#inFlight--
    else {
      this.#queue.delete(next)
      next.start()
    }
  }

  #wait(operationId: string, deadline: number, context: OperationContext | undefined): Promise<void> {
    const { name, maxQueued = Infinity, maxInFlight } = this.#options
    return new Promise((resolve, reject) => {
      const refuse = (code: CallErrorCode, message: string, details: object, cause?: unknown) => {
        this.#queue.delete(waiting)
        cancel()
        unhear()
        reject(new CallError(code, message, { details: { operationId, ...details, outcome: "not_started" }, cause }))
      }
      let cancel = (): void => undefined
      let unhear = (): void => undefined
      const waiting: Waiting = {
        start: () => {
          cancel()
          unhear()
          resolve()
        },
      }
      if (this.#queue.size >= maxQueued) {
        const limit = maxInFlight + maxQueued
        refuse("RESOURCE_EXHAUSTED", `"${operationId}" was refused: ${name} has ${String(maxInFlight)} calls in flight and ${String(maxQueued)} waiting`, { limit, value: limit })
        return
      }
      this.#queue.add(waiting)
      cancel = atDeadline(deadline, () => refuse("TIMEOUT", `The deadline of "${operationId}" passed while it waited for ${name}`, { deadline }))
      unhear = onAbort(context, (reason) => refuse("ABORTED", `The caller stopped "${operationId}" while it waited for ${name}`, {}, reason))
    })
  }
}
