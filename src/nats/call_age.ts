/**
 * How long a request was under way, although the clocks of two machines do not agree.
 *
 * In: the deadline by the caller's clock, the time it gave the call when it sent it, and this machine's clock. Out: the deadline by this
 * machine's clock. The quickest request of a connection within the last half to whole minute shows how far the clocks are apart; a request that took
 * longer than that one has waited somewhere, for example behind a busy event loop, and that time counts against it.
 */

const WINDOW_MS = 30_000
/** A server drops who does not read for ten seconds, so nothing waits longer; a larger difference is a clock that was set. */
const LONGEST_WAIT_MS = 15_000
const MAX_CONNECTIONS = 10_000

interface Quickest {
  since: number
  now: number
  before: number
}

/** Deadlines of requests by this machine's clock. */
export class CallAge {
  readonly #connections = new Map<string, Quickest>()

  /**
   * The deadline of a request of a connection. `ttl`: milliseconds it had left when it was sent; `keptMs`: for so long this process was
   * not listening just now. All times are epoch milliseconds.
   */
  deadlineOf(connection: string, deadline: number, ttl: number, now: number, keptMs = 0): number {
    const apart = now - (deadline - ttl)
    // Nothing is known of a new connection; what seems to have waited no longer than nobody listened has very likely waited.
    if (apart > 0 && apart <= keptMs && !this.#connections.has(connection)) return deadline
    const quickest = this.#quickestOf(connection, apart, now)
    const waited = Math.min(apart - quickest, LONGEST_WAIT_MS)
    return now + ttl - waited
  }

  #quickestOf(connection: string, apart: number, now: number): number {
    let known = this.#connections.get(connection)
    if (known === undefined) {
      if (this.#connections.size >= MAX_CONNECTIONS) this.#connections.clear()
      known = { since: now, now: apart, before: Infinity }
      this.#connections.set(connection, known)
    } else if (now - known.since > WINDOW_MS) {
      known.before = known.now
      known.now = apart
      known.since = now
    } else if (apart < known.now) known.now = apart
    return Math.min(known.now, known.before)
  }
}
