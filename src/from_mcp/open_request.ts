/**
 * One request that is under way: who waits for it, and what must be taken down when it ends, however it ends.
 *
 * In: who asked, and what for. Out: a promise that settles once; alarms for its deadline and its silence, the ear for the
 * caller's abort, its progress. Knows no transport: `end` of the exchange ends it early.
 */
import type { CallError } from "../error.js"
import { atDeadline, onAbort, type Progress } from "../operation.js"
import { EndOfCall } from "./end_of_call.js"
import type { PortRequestOptions } from "./port.js"

/** What ends a request before its answer came. */
export interface RequestEnder {
  end(request: OpenRequest, end: EndOfCall): void
}

/** A request between its sending and its end. */
export class OpenRequest {
  /** The progress token that it was sent with, where one was. */
  token: string | undefined
  private settled = false
  private cancelDeadline: (() => void) | undefined
  private cancelIdle: (() => void) | undefined
  private unlisten: (() => void) | undefined

  constructor(
    readonly id: number,
    readonly method: string,
    readonly tool: string | undefined,
    readonly options: PortRequestOptions,
    readonly resolve: (result: unknown) => void,
    readonly reject: (error: CallError) => void,
  ) {}

  /** Starts the clocks and listens for the abort; nothing where it has ended already. */
  watch(ender: RequestEnder): void {
    // In one process the answer may have come while the request was being sent.
    if (this.settled) return
    const { options } = this
    const deadline = deadlineOf(options)
    if (deadline !== Infinity) {
      this.cancelDeadline = atDeadline(deadline, () => ender.end(this, new EndOfCall("TIMEOUT", "the deadline passed", { deadline, outcome: "unknown" })))
    }
    if (options.idleTimeoutMs !== undefined) this.watchSilence(options.idleTimeoutMs, ender)
    const caller = options.caller ?? (options.signal === undefined ? undefined : options)
    if (caller !== undefined) {
      this.unlisten = onAbort(caller, (reason) => {
        if (!this.settled) ender.end(this, new EndOfCall("ABORTED", "the caller stopped the call", { outcome: "unknown" }, reason))
      })
    }
  }

  /** Takes everything down; nothing ends it and no progress is told any more. */
  settle(): void {
    this.settled = true
    this.cancelDeadline?.()
    this.cancelIdle?.()
    this.unlisten?.()
  }

  /** A step that the server reported: starts the silence anew and tells the caller. */
  progressed(params: Readonly<Record<string, unknown>>, ender: RequestEnder): void {
    const { idleTimeoutMs, onProgress } = this.options
    if (idleTimeoutMs !== undefined) this.watchSilence(idleTimeoutMs, ender)
    if (onProgress === undefined || typeof params["progress"] !== "number") return
    const progress: Progress = {
      progress: params["progress"],
      ...(typeof params["total"] === "number" ? { total: params["total"] } : {}),
      ...(typeof params["message"] === "string" ? { message: params["message"] } : {}),
    }
    try {
      onProgress(progress)
    } catch {
      // A listener that throws must not end the call it listens to.
    }
  }

  private watchSilence(idleTimeoutMs: number, ender: RequestEnder): void {
    this.cancelIdle?.()
    const deadline = Date.now() + idleTimeoutMs
    this.cancelIdle = atDeadline(deadline, () =>
      ender.end(this, new EndOfCall("TIMEOUT", `nothing was heard for ${idleTimeoutMs} ms`, { deadline, idleTimeoutMs, outcome: "unknown" })),
    )
  }
}

/** The latest end of a request, in epoch milliseconds. */
export function deadlineOf({ deadline, timeoutMs }: PortRequestOptions): number {
  // A caller that knows the deadline spares a look at the clock.
  if (deadline !== undefined) return deadline
  return timeoutMs === undefined ? Infinity : Date.now() + timeoutMs
}
