/**
 * For how long this process was not listening.
 *
 * Out: milliseconds that the event loop was kept by something else, as long as what lay waiting meanwhile is being read. A timer that comes
 * late shows it, and so does the time since that timer where messages are read within the turn that was kept.
 */

const BEAT_MS = 50
/** A timer is late by this much on a machine that is merely busy. */
const NOISE_MS = 100

/** Watches the event loop until it is stopped. */
export class LoopLag {
  readonly #timer: ReturnType<typeof setInterval>
  #beatAt = Date.now()
  #keptMs = 0

  constructor() {
    this.#timer = setInterval(() => this.#beat(), BEAT_MS)
    this.#timer.unref()
  }

  /** Milliseconds that a message which is read now may have waited in this process; 0 where it was listening. `now` is epoch milliseconds. */
  keptMs(now: number): number {
    const sinceBeat = now - this.#beatAt
    return Math.max(this.#keptMs, sinceBeat > BEAT_MS + NOISE_MS ? sinceBeat : 0)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #beat(): void {
    const now = Date.now()
    const kept = now - this.#beatAt
    this.#beatAt = now
    if (kept <= BEAT_MS + NOISE_MS) {
      this.#keptMs = 0
      return
    }
    // Timers run before sockets are read: the next beat comes after all of them.
    this.#keptMs = kept
  }
}
