/**
 * Tries a call again where that is known to be harmless.
 *
 * In: a call's error. Out: another attempt, or the error. Harmless: the call was not started; or its worker was lost and running the
 * operation twice is as good as once, by the word of somebody who is trusted. Never beyond the deadline, never after an abort, and within
 * a budget, so that a fault of all workers is not answered with twice the load.
 */
import { CallError, isCallError } from "../error.js"
import { atDeadline, narrowContext, onAbort, resolveDeadline, type OperationContext } from "../operation.js"
import { RetryBudget } from "./retry_budget.js"

/** What is known of the calls that may be tried again. */
export interface CallAgainOptions {
  readonly isUp: () => boolean
  /** True where running the operation twice is as good as once. */
  readonly isRepeatable: (operationId: string) => boolean
  /** Told of a worker that did not take a call, or lost it. `isAbsent`: nobody listens where it should. */
  readonly onRefused: (worker: string, operationId: string, isAbsent: boolean) => void
}

/** Makes the call. `since`: a worker was lost that had it at this time (epoch milliseconds); one heard after that is better. */
type Attempt<T> = (context: OperationContext | undefined, since?: number) => Promise<T>

const MAX_RETRIES = 3
const MAX_PAUSE_MS = 1_000
/** A change of a worker's operations is known everywhere after about so long. */
const CHANGE_MS = 250

/** Makes calls, some of them more than once. */
export class CallAgain {
  readonly #options: CallAgainOptions
  readonly #budget = new RetryBudget()

  constructor(options: CallAgainOptions) {
    this.#options = options
  }

  /** Runs `attempt` until it has a result or an error that stays. @throws CallError */
  run<T>(operationId: string, context: OperationContext | undefined, timeoutMs: number, attempt: Attempt<T>): Promise<T> {
    const beganAt = Date.now()
    this.#budget.called()
    // Nearly all calls end here: one promise more, and nothing else.
    return attempt(context).catch((error: unknown) => this.#again(operationId, context, resolveDeadline(context, timeoutMs, beganAt), attempt, error, beganAt))
  }

  async #again<T>(operationId: string, context: OperationContext | undefined, deadline: number, attempt: Attempt<T>, first: unknown, beganAt: number): Promise<T> {
    let error = first
    let mayHaveRun = false
    let sentAt = beganAt
    for (let retries = 0; ; retries++) {
      const pause = retries < MAX_RETRIES ? this.#pauseBefore(error, operationId, retries) : undefined
      if (pause === undefined || Date.now() + pause >= deadline || !this.#budget.take()) throw honest(error, mayHaveRun)
      const wasLost = isCallError(error) && error.details["outcome"] !== "not_started"
      mayHaveRun ||= wasLost
      await waitFor(pause, operationId, context, mayHaveRun)
      const since = wasLost ? sentAt : undefined
      sentAt = Date.now()
      try {
        return await attempt(narrowContext(context, deadline), since)
      } catch (thrown) {
        error = thrown
      }
    }
  }

  /** Milliseconds to wait before the call is made again; undefined where it is not. */
  #pauseBefore(error: unknown, operationId: string, retries: number): number | undefined {
    if (!isCallError(error)) return undefined
    const { code, details } = error
    const { worker, outcome, retryAfterMs } = details
    const jitter = 0.5 + Math.random() / 2
    const backOff = Math.min(MAX_PAUSE_MS, 25 * 2 ** retries) * jitter
    if (typeof worker === "string" && (code === "TRANSPORT_ERROR" || outcome === "not_started")) {
      this.#options.onRefused(worker, operationId, details["kind"] === "no_worker")
    }
    if (outcome === "not_started") {
      if (code === "TRANSPORT_ERROR") return this.#options.isUp() ? backOff : undefined
      // Without a worker's name it is a limit of this process, which another attempt would only meet again.
      if (typeof worker !== "string") return undefined
      // At once, for another worker may have it; later, when the worker that changed it has said so.
      if (code === "OPERATION_NOT_FOUND") return retries === 0 ? 0 : CHANGE_MS * retries * jitter
      if (code !== "RESOURCE_EXHAUSTED") return undefined
      const asked = typeof retryAfterMs === "number" && retryAfterMs > 0 ? retryAfterMs * 2 ** retries : 0
      return Math.min(MAX_PAUSE_MS, Math.max(asked, 25 * 2 ** retries)) * jitter
    }
    const isLost = code === "TRANSPORT_ERROR" && outcome === "unknown"
    return isLost && this.#options.isUp() && this.#options.isRepeatable(operationId) ? backOff : undefined
  }
}

/** An error that says "not started" of its own attempt must not say so of one before it. */
function honest(error: unknown, mayHaveRun: boolean): unknown {
  if (!mayHaveRun || !isCallError(error) || error.details["outcome"] !== "not_started") return error
  return new CallError(error.code, error.message, { details: { ...error.details, outcome: "unknown" }, cause: error })
}

function waitFor(ms: number, operationId: string, context: OperationContext | undefined, mayHaveRun: boolean): Promise<void> {
  return new Promise((resolve, reject) => {
    let unhear = (): void => undefined
    const goOn = () => {
      unhear()
      resolve()
    }
    const cancel = ms === 0 ? undefined : atDeadline(Date.now() + ms, goOn)
    unhear = onAbort(context, (reason) => {
      cancel?.()
      reject(new CallError("ABORTED", `The caller stopped "${operationId}"`, { details: { operationId, outcome: mayHaveRun ? "unknown" : "not_started" }, cause: reason }))
    })
    if (ms === 0) goOn()
  })
}
