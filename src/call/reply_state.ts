/**
 * What is known at a worker of one call: over or not, aborted or not, and how many more items its caller has room for.
 *
 * In: the caller's abort and grants, the end of the call. Out: the abort hook, the signal and the credit that its handler sees.
 * Every transport's reply is one of these; how answers are carried is the transport's own. The signal is made when it is first
 * read: most calls are never aborted, and a signal costs more than the rest of a call.
 */
import { CallError } from "../error.js"
import { ON_ABORT, type AbortHook } from "../operation.js"

/** The part of a reply that no transport changes: extend it with `send`. */
export abstract class ReplyState implements AbortHook {
  /** Names the call in errors. */
  protected abstract readonly requestId: string
  #over = false
  #aborted = false
  #controller: AbortController | undefined
  #listeners: Set<(reason: unknown) => void> | undefined
  #credit = 0
  #waiting: { resolve: () => void; reject: (error: CallError) => void }[] | undefined

  /** True once its last event was sent. */
  get over(): boolean {
    return this.#over
  }

  /** True once the caller has stopped the call, or is lost. */
  get aborted(): boolean {
    return this.#aborted
  }

  /** Aborted when the caller stops the call or is lost. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.#aborted) this.#controller.abort()
    }
    return this.#controller.signal
  }

  [ON_ABORT](listener: (reason: unknown) => void): () => void {
    if (this.#aborted) {
      listener(undefined)
      return () => undefined
    }
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => listeners.delete(listener)
  }

  /** Resolves when the caller has room for one item more; takes that room. Rejects when the call is aborted or over. */
  credit(): Promise<void> {
    if (this.#aborted || this.#over) return Promise.reject(this.goneError())
    if (this.#credit > 0) {
      this.#credit--
      return DONE
    }
    return new Promise((resolve, reject) => (this.#waiting ??= []).push({ resolve, reject }))
  }

  /** The caller has room for so many items more. */
  grant(items: number): void {
    this.#credit = Math.min(this.#credit + items, Number.MAX_SAFE_INTEGER)
    while (this.#credit > 0) {
      const next = this.#waiting?.shift()
      if (next === undefined) return
      this.#credit--
      next.resolve()
    }
  }

  /** The caller stops the call, or is lost: the handler hears of it, and nothing waits for credit any more. */
  stop(): void {
    if (this.#aborted) return
    this.#aborted = true
    this.#controller?.abort()
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners !== undefined) for (const listener of listeners) listener(undefined)
    const waiting = this.#waiting
    this.#waiting = undefined
    if (waiting !== undefined) for (const { reject } of waiting) reject(this.goneError())
  }

  /** Notes that the last event was sent. */
  protected finish(): void {
    this.#over = true
  }

  /** For those who send or wait after the end. */
  protected goneError(): CallError {
    return new CallError(this.#aborted ? "ABORTED" : "TRANSPORT_ERROR", "The call is over", { details: { requestId: this.requestId } })
  }
}

const DONE = Promise.resolve()
