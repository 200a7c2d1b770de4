/**
 * Hearing of the abort of a call without making an AbortSignal for it.
 *
 * In: a context. Out: a function is called once when the call is stopped.
 * Signals are dear and most calls are never aborted, so contexts of this library carry a cheaper hook under a symbol and make
 * their signal when it is first read.
 */
import type { OperationContext } from "./context.js"

/** The key of a context's own abort hook; see `onAbort`. */
export const ON_ABORT: unique symbol = Symbol.for("mcp-operations.onAbort")

/** A context that can tell of its abort without a signal. `reason` is undefined until then. */
export interface AbortHook {
  [ON_ABORT](listener: (reason: unknown) => void): () => void
}

/**
 * Calls the listener once when the context's call is stopped (at once where it already is), with the reason; gives the function
 * that takes the listener away.
 */
export function onAbort(context: Pick<OperationContext, "signal"> | undefined, listener: (reason: unknown) => void): () => void {
  if (context === undefined) return nothing
  if (ON_ABORT in context) return (context as AbortHook)[ON_ABORT](listener)
  const { signal } = context
  if (signal === undefined) return nothing
  if (signal.aborted) {
    listener(signal.reason)
    return nothing
  }
  return hear(signal, listener)
}

// One listener a signal, however many calls it stops: adding and removing listeners of a signal takes time by their number, and
// Node warns of eleven.
const listening = new WeakMap<AbortSignal, Set<{ readonly tell: (reason: unknown) => void }>>()

function hear(signal: AbortSignal, tell: (reason: unknown) => void): () => void {
  let listeners = listening.get(signal)
  if (listeners === undefined) {
    const all = new Set<{ readonly tell: (reason: unknown) => void }>()
    listening.set(signal, (listeners = all))
    signal.addEventListener(
      "abort",
      () => {
        for (const each of all) each.tell(signal.reason)
        all.clear()
      },
      { once: true },
    )
  }
  const entry = { tell }
  const home = listeners
  home.add(entry)
  return () => home.delete(entry)
}

function nothing(): void {
  // There is no listener to take away.
}
