/**
 * Places for calls that run; who waits for one gets it in turn with the other callers.
 *
 * In: calls. Out: places, at most so many at once; refusals with nothing started: RESOURCE_EXHAUSTED where the queue is full, TIMEOUT
 * where the deadline passed in it, ABORTED where the caller left it. A caller that floods waits behind itself and not before the others.
 */
import { CallError, type CallErrorCode } from "../error.js"
import { atDeadline, onAbort } from "../operation.js"
import type { ServedCall } from "./served_call.js"

/** The bounds of a worker. */
export interface FairPlacesOptions {
  readonly worker: string
  readonly concurrency: number
  readonly maxQueued: number
}

interface Waiting {
  readonly start: () => void
}

/** The places of one worker. */
export class FairPlaces {
  readonly #options: FairPlacesOptions
  // Callers in the order of their turn. A Set lets go of one in the middle at no cost.
  readonly #queues = new Map<string, Set<Waiting>>()
  #inFlight = 0
  #queued = 0

  constructor(options: FairPlacesOptions) {
    this.#options = options
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get queued(): number {
    return this.#queued
  }

  /** Takes a place at once where there is one. Give it back by `release()`. */
  tryAcquire(): boolean {
    if (this.#inFlight >= this.#options.concurrency) return false
    this.#inFlight++
    return true
  }

  /** Waits for a place. `deadline` is epoch milliseconds. @throws CallError see above */
  acquire(call: ServedCall, deadline: number): Promise<void> {
    const { worker, concurrency, maxQueued } = this.#options
    const { caller, operationId } = call
    return new Promise((resolve, reject) => {
      const refused = (code: CallErrorCode, message: string, details: object) => {
        reject(new CallError(code, message, { details: { operationId, ...details, worker, outcome: "not_started" } }))
      }
      if (this.#queued >= maxQueued) {
        refused("RESOURCE_EXHAUSTED", `"${operationId}" was refused: the worker "${worker}" has ${String(concurrency)} calls in flight and ${String(maxQueued)} waiting`, {
          limit: concurrency + maxQueued,
          value: concurrency + maxQueued,
        })
        return
      }
      let cancel = (): void => undefined
      let unhear = (): void => undefined
      const done = () => {
        cancel()
        unhear()
      }
      const leave = () => {
        done()
        const queue = this.#queues.get(caller)
        if (queue?.delete(waiting) !== true) return
        this.#queued--
        if (queue.size === 0) this.#queues.delete(caller)
      }
      const waiting: Waiting = {
        start: () => {
          done()
          resolve()
        },
      }
      let queue = this.#queues.get(caller)
      if (queue === undefined) this.#queues.set(caller, (queue = new Set()))
      queue.add(waiting)
      this.#queued++
      cancel = atDeadline(deadline, () => {
        leave()
        refused("TIMEOUT", `The deadline of "${operationId}" passed while it waited for a place at the worker "${worker}"`, { deadline })
      })
      unhear = onAbort(call, () => {
        leave()
        refused("ABORTED", `The caller stopped "${operationId}" while it waited for a place at the worker "${worker}"`, {})
      })
    })
  }

  /** Gives a place back; the caller whose turn it is gets it. */
  release(): void {
    const [turn] = this.#queues
    if (turn === undefined) {
      this.#inFlight--
      return
    }
    const [caller, queue] = turn
    const [next] = queue
    this.#queues.delete(caller)
    if (next === undefined) return this.release()
    queue.delete(next)
    this.#queued--
    // Its next turn comes after that of everybody else who waits.
    if (queue.size > 0) this.#queues.set(caller, queue)
    next.start()
  }
}
