/**
 * Waits for something that a call needs before it can be sent, no longer than the call may last.
 *
 * In: a promise, the call's deadline and context. Out: its value, or a CallError with the outcome `not_started`. What was
 * waited for goes on: other calls may need it too.
 */
import { CallError } from "../error.js"
import { atDeadline, onAbort, type OperationContext } from "../operation.js"

/** The value of the promise, unless the deadline passes or the caller stops the call first. `call.subject` names it in errors. */
export function waitUntil<T>(promise: Promise<T>, deadline: number, context: OperationContext | undefined, call: { readonly subject: string }): Promise<T> {
  return new Promise((resolve, reject) => {
    const takeDown: (() => void)[] = []
    const settle = () => {
      for (const one of takeDown) one()
    }
    const fail = (error: CallError) => {
      settle()
      reject(error)
    }
    takeDown.push(
      atDeadline(deadline, () =>
        fail(new CallError("TIMEOUT", `${call.subject}: the deadline passed before the call could be sent`, { details: { deadline, outcome: "not_started" } })),
      ),
    )
    takeDown.push(
      onAbort(context, (cause) =>
        fail(new CallError("ABORTED", `${call.subject}: the caller stopped the call before it was sent`, { details: { outcome: "not_started" }, cause })),
      ),
    )
    promise.then(resolve, reject).finally(settle)
  })
}
