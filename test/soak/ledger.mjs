/**
 * What the callers of one server were told about each call, and whether the server agrees.
 *
 * One byte a call, outside of the heap, which is what a soak measures. A call has run once where it has an answer, at most once
 * where its outcome is unknown or it failed, and never where it was said to be not started.
 */
const ENDS = ["", "answered", "unknown", "failed", "not_started"]

export class Ledger {
  #ends = new Uint8Array(1_024)
  #last = 0

  /** The number of the next call. */
  next() {
    if (++this.#last < this.#ends.length) return this.#last
    const more = new Uint8Array(this.#ends.length * 2)
    more.set(this.#ends)
    this.#ends = more
    return this.#last
  }

  ended(n, end) {
    const outcome = end === "ok" ? "answered" : end.split(" ").at(-1)
    this.#ends[n] = Math.max(0, ENDS.indexOf(outcome))
  }

  /** What does not fit together, in words; at most a few. */
  compare({ ran }) {
    const wrong = []
    for (let n = 1; n <= this.#last && wrong.length < 5; n++) {
      const told = ENDS[this.#ends[n]]
      if (told === "") wrong.push(`call ${n} did not end`)
      if (told === "answered" && ran(n) === 0) wrong.push(`call ${n} has an answer and never ran`)
      if (told === "not_started" && ran(n) > 0) wrong.push(`call ${n} was said to be not started, and ran`)
    }
    return wrong
  }
}
