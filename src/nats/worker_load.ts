/**
 * What a worker has done: counts since it began.
 *
 * In: ends of calls. Out: numbers for health lines and for the services protocol. Holds nothing of any single call.
 */
import type { CallErrorEvent } from "../call.js"

/** Counters of a worker. */
export class WorkerLoad {
  /** Calls that a handler ended. */
  served = 0
  /** Those of them that ended with an error. */
  failed = 0
  /** Calls that no handler was asked for: unknown, denied, late, too many. */
  refused = 0
  /** Messages that nobody could be answered for. */
  misread = 0
  /** The code of the last of them. Its message is for the caller alone: whoever asks for counts may see other things. */
  lastError: string | undefined
  /** Milliseconds that served calls took, from their arrival to their answer, all together. */
  busyMs = 0
  readonly startedAt = new Date()
  #refusals: Error[] = []

  ended(receivedAt: number, error: CallErrorEvent | undefined): void {
    this.served++
    if (error !== undefined) {
      this.failed++
      this.lastError = error.code.slice(0, 64)
    }
    this.busyMs += Date.now() - receivedAt
  }

  /** The server refused a subscription. */
  refusedSubscription(error: Error): void {
    this.#refusals.push(error)
  }

  /** What the server refused since this was asked last. */
  takeRefusals(): Error[] {
    const refusals = this.#refusals
    this.#refusals = []
    return refusals
  }
}
