/**
 * How many calls of one server are on the wire at once.
 *
 * In: a call that wants to go. Out: nothing where it may go at once, else a promise for its turn. Waiting calls go in the order
 * they came; one whose deadline passes or whose caller stops it leaves the queue and is never sent.
 */
import { CallError } from "../error.js"
import { atDeadline, onAbort, type OperationContext } from "../operation.js"

/** A limit with a queue. Each `enter` that succeeded is followed by one `leave`. */
export class InFlight {
  private active = 0
  private readonly waiting = new Set<() => void>()

  constructor(private readonly limit: number) {}

  /** Undefined where the call may go now. `call.subject` names it in errors. */
  enter(deadline: number, context: OperationContext | undefined, call: { readonly subject: string }): Promise<void> | undefined {
    if (this.active < this.limit) {
      this.active++
      return undefined
    }
    return new Promise((resolve, reject) => {
      const takeDown: (() => void)[] = []
      const leaveQueue = () => {
        this.waiting.delete(go)
        for (const one of takeDown) one()
      }
      const go = () => {
        leaveQueue()
        resolve()
      }
      const fail = (error: CallError) => {
        leaveQueue()
        reject(error)
      }
      this.waiting.add(go)
      takeDown.push(
        atDeadline(deadline, () =>
          fail(
            new CallError("TIMEOUT", `${call.subject}: the deadline passed while ${this.limit} other calls were in flight`, {
              details: { deadline, limit: this.limit, outcome: "not_started" },
            }),
          ),
        ),
      )
      // Last: a call that was stopped before fails right here.
      takeDown.push(
        onAbort(context, (cause) =>
          fail(new CallError("ABORTED", `${call.subject}: the caller stopped the call before it was sent`, { details: { outcome: "not_started" }, cause })),
        ),
      )
    })
  }

  /** A call has ended: the next one goes. */
  leave(): void {
    for (const next of this.waiting) {
      next()
      return
    }
    this.active--
  }
}
