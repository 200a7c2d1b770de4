/**
 * Waiting for a time to come, and how long to wait before something is tried again.
 *
 * In: a time, and a signal that ends the waiting. Out: a promise that settles at the time or at the signal, whichever comes
 * first. The times between attempts grow, and each one is drawn at random up to its limit: clients that lost one server
 * together must not come back together.
 */
import { atDeadline, onAbort } from "../operation.js"

/** Settles at the time (epoch milliseconds), or as soon as the signal aborts. */
export function pauseUntil(at: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const takeDown: (() => void)[] = []
    const end = () => {
      for (const one of takeDown) one()
      resolve()
    }
    takeDown.push(atDeadline(at, end))
    takeDown.push(onAbort({ signal }, end))
  })
}

/** A random time in milliseconds before the next attempt, after so many that failed in a row. */
export function backoffMs(failed: number, { firstDelayMs, maxDelayMs }: { readonly firstDelayMs: number; readonly maxDelayMs: number }): number {
  return Math.random() * Math.min(maxDelayMs, firstDelayMs * 2 ** failed)
}
