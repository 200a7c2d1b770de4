/**
 * One request that is under way: what must be taken down when it ends, however it ends.
 *
 * In: who asked, and what for. Out: alarms for its deadline and its silence, the ear for the caller's abort, its progress.
 * Knows no transport; the port gives the one function that ends it early.
 */
import { atDeadline, onAbort, type Progress } from "../operation.js"
import { EndOfCall } from "./end_of_call.js"
import type { RequestPlace } from "./errors.js"
import type { PortRequestOptions } from "./port.js"

/** A request between its sending and its end. */
export class OpenRequest {
  /** The id that the SDK gave it; undefined until it is handed to the transport. */
  id: number | undefined
  /** The progress token that it was sent with, where one was. */
  token: string | undefined
  private settled = false
  private readonly deadline: number
  private cancelDeadline: (() => void) | undefined
  private cancelIdle: (() => void) | undefined
  private unlisten: (() => void) | undefined

  constructor(
    readonly place: RequestPlace,
    readonly options: PortRequestOptions,
  ) {
    this.deadline = options.timeoutMs === undefined ? Infinity : Date.now() + options.timeoutMs
  }

  /** Starts the clocks and listens for the abort. `end` is called at most once, not after `settle`. */
  watch(end: (end: EndOfCall) => void): void {
    // In one process the answer may have come while the request was being sent.
    if (this.settled) return
    const { options } = this
    if (this.deadline !== Infinity) {
      this.cancelDeadline = atDeadline(this.deadline, () => end(new EndOfCall("TIMEOUT", "the deadline passed", { deadline: this.deadline, outcome: "unknown" })))
    }
    if (options.idleTimeoutMs !== undefined) this.watchSilence(options.idleTimeoutMs, end)
    if (options.caller !== undefined || options.signal !== undefined) {
      this.unlisten = onAbort(options.caller ?? options, (reason) => {
        if (!this.settled) end(new EndOfCall("ABORTED", "the caller stopped the call", { outcome: "unknown" }, reason))
      })
    }
  }

  /** Takes everything down; further progress goes nowhere. */
  settle(): void {
    this.settled = true
    this.cancelDeadline?.()
    this.cancelIdle?.()
    this.unlisten?.()
  }

  /** A step that the server reported: starts the silence anew and tells the caller. */
  progressed(params: Readonly<Record<string, unknown>>, end: (end: EndOfCall) => void): void {
    if (this.settled) return
    const { idleTimeoutMs, onProgress } = this.options
    if (idleTimeoutMs !== undefined) this.watchSilence(idleTimeoutMs, end)
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

  private watchSilence(idleTimeoutMs: number, end: (end: EndOfCall) => void): void {
    this.cancelIdle?.()
    const at = Date.now() + idleTimeoutMs
    this.cancelIdle = atDeadline(at, () => end(new EndOfCall("TIMEOUT", `nothing was heard for ${idleTimeoutMs} ms`, { deadline: at, idleTimeoutMs, outcome: "unknown" })))
  }
}
