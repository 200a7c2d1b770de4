/**
 * Refuses calls of a server that fails each of them, so that nobody waits for what is not going to work.
 *
 * In: failures of the connection and answers, as they come. Out: how long a call has to stay away. After so many failures in a
 * row it opens; later one call is let through as a probe, and its answer closes it. A probe that comes to no end gives way to
 * the next one after the same time. Calls that were under way together are not in a row: their failures count as one.
 */
import type { BreakerOptions, Settled } from "./client_options.js"

/** The breaker of one server. */
export class CircuitBreaker {
  #failures = 0
  #openUntil = 0
  #round = 0

  constructor(private readonly options: Settled<BreakerOptions>) {}

  /** What a call remembers of its beginning: it changes with each failure that counts. */
  get round(): number {
    return this.#round
  }

  /** How many failures came in a row. */
  get failures(): number {
    return this.#failures
  }

  /** Milliseconds until a call may be tried; 0 where it may go now. */
  remainingMs(): number {
    return this.#failures < this.options.failures ? 0 : Math.max(0, this.#openUntil - Date.now())
  }

  /** The same for a call that goes where it may: when the breaker is open it is the probe, and others stay away. */
  takeRemainingMs(): number {
    const remaining = this.remainingMs()
    if (remaining === 0 && this.#failures >= this.options.failures) this.#openUntil = Date.now() + this.options.probeAfterMs
    return remaining
  }

  answered(): void {
    this.#failures = 0
  }

  /** A call that began in this round has failed. */
  failed(round: number): void {
    if (round !== this.#round) return
    this.#round++
    this.#failures++
    this.#openUntil = Date.now() + this.options.probeAfterMs
  }
}
