/**
 * How many calls may be tried again: one for every ten, so that a fault of all workers does not become twice the load.
 *
 * In: calls and wishes. Out: yes or no. A small reserve lets the first calls of a process be tried again, too.
 */

const SHARE = 0.1
const RESERVE = 10

/** Counts calls and gives out retries. */
export class RetryBudget {
  #tokens = RESERVE

  /** A call has begun. */
  called(): void {
    if (this.#tokens < RESERVE) this.#tokens = Math.min(RESERVE, this.#tokens + SHARE)
  }

  /** True where a retry may be made; it is counted then. */
  take(): boolean {
    if (this.#tokens < 1) return false
    this.#tokens -= 1
    return true
  }
}
