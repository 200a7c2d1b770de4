/**
 * How long a stream is waited for before it is opened again.
 *
 * In: attempts so far, and what the server asked for. Out: milliseconds.
 * The server's `retry:` decides within bounds: without a lower one it could make a storm of requests, without an upper one it
 * could keep a call for as long as it likes.
 */

const SHORTEST_MS = 100
const LONGEST_MS = 30_000
const FIRST_MS = 1_000
const GROWTH = 1.5

/** The wait before the next attempt. */
export function resumeDelayMs(attempts: number, retryMs: number | undefined): number {
  const wanted = retryMs ?? FIRST_MS * GROWTH ** attempts
  return Math.min(Math.max(wanted, SHORTEST_MS), LONGEST_MS)
}
