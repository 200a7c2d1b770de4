/**
 * Where a client stands in its life, and who hears of it.
 *
 * In: changes. Out: the present state with its reason and its time, and one call of each listener for each change. A client that
 * is closed stays so.
 */
import type { CallError } from "../error.js"

/**
 * Where a client stands in its life: `reconnecting` by itself after a loss, `connecting` because it is called after it has `failed`,
 * `closed` for good.
 */
export type ClientStatus = "connecting" | "ready" | "reconnecting" | "failed" | "closed"

/** A state of a client. */
export interface StatusDetail {
  readonly status: ClientStatus
  /** When it began, in epoch milliseconds. */
  readonly since: number
  /** What led to it, where something went wrong. */
  readonly reason?: CallError | undefined
}

/** The state of one client. */
export class StatusLog {
  #detail: StatusDetail = detailOf("ready")
  readonly #listeners = new Set<(detail: StatusDetail) => void>()

  get detail(): StatusDetail {
    return this.#detail
  }

  set(status: ClientStatus, reason?: CallError): void {
    if (this.#detail.status === "closed") return
    this.#detail = detailOf(status, reason)
    for (const listener of [...this.#listeners]) {
      try {
        listener(this.#detail)
      } catch {
        // A listener's fault is its own: the state has changed all the same.
      }
    }
  }

  /** Calls the listener after each change; gives the function that takes it away. */
  onChange(listener: (detail: StatusDetail) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

function detailOf(status: ClientStatus, reason?: CallError): StatusDetail {
  return Object.freeze({ status, since: Date.now(), ...(reason !== undefined && { reason }) })
}
