/**
 * Ends a running call by its deadline or by its caller's abort, whichever comes first.
 *
 * In: the promise of the work and the call's context. Out: a promise that settles with the work, or with TIMEOUT or ABORTED.
 * After the stop the work hears of it and has until the next turn to say so itself: a handler that knows more of the outcome
 * (whether its request was sent) is believed. Nothing that comes later settles anything.
 */
import { CallError, isCallError, toCallError } from "../error.js"
import { atDeadline, onAbort, type OperationContext } from "../operation.js"
import type { CallContext } from "./call_context.js"

/** The work, ended by deadline and abort. Rejections pass through `map`. */
export function settle<T>(
  work: Promise<T>,
  context: CallContext,
  caller: OperationContext | undefined,
  id: string,
  map: (thrown: unknown) => CallError = toCallError,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let stopped: CallError | undefined
    let settled = false
    const unwatch = () => {
      cancelDeadline()
      unhear()
    }
    const end = () => {
      settled = true
      unwatch()
    }
    const stop = (error: CallError) => {
      if (settled || stopped !== undefined) return
      stopped = error
      unwatch()
      context.abort(error.code === "ABORTED" ? error.cause : error)
      nextTurn(() => {
        if (settled) return
        settled = true
        reject(error)
      })
    }
    const cancelDeadline = atDeadline(context.deadline, () => stop(timeoutError(id, context.deadline, "unknown")))
    // Set before the hook is called: it calls back at once where the caller has already stopped.
    let unhear = (): void => undefined
    unhear = onAbort(caller, (reason) => stop(abortedError(id, reason, "unknown")))
    work.then(
      (value) => {
        if (settled || stopped !== undefined) return
        end()
        resolve(value)
      },
      (thrown: unknown) => {
        if (settled) return
        end()
        reject(stopped === undefined ? map(thrown) : saysMore(thrown, stopped) ? thrown : stopped)
      },
    )
  })
}

/** The error of a call whose deadline passed. */
export function timeoutError(id: string, deadline: number, outcome: "not_started" | "unknown"): CallError {
  const when = outcome === "not_started" ? "before it began" : "before there was an answer"
  return new CallError("TIMEOUT", `The deadline of "${id}" passed ${when}`, { details: { operationId: id, deadline, outcome } })
}

/** The error of a call that its caller stopped; the reason stays here, as the cause. */
export function abortedError(id: string, reason: unknown, outcome: "not_started" | "unknown"): CallError {
  return new CallError("ABORTED", `The caller stopped "${id}"`, { details: { operationId: id, outcome }, cause: reason })
}

function saysMore(thrown: unknown, stopped: CallError): thrown is CallError {
  return isCallError(thrown) && thrown.code === stopped.code
}

let queue: (() => void)[] | undefined

function nextTurn(run: () => void): void {
  if (queue !== undefined) {
    queue.push(run)
    return
  }
  const due = (queue = [run])
  setTimeout(() => {
    queue = undefined
    for (const each of due) each()
  }, 0)
}
