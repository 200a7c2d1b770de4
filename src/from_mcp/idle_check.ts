/**
 * Asks a server that nobody calls for a sign of life.
 *
 * In: a port and an interval. Out: nothing where it answers; a port that does not answer in time is given up, so that another
 * one is opened before a caller finds out. While calls are under way nothing is asked: a busy server may have no time for it.
 */
import { isCallError, type CallError } from "../error.js"
import type { MainPort } from "./main_port.js"
import type { MCPPort } from "./port.js"

/** What is checked, and how often. */
export interface IdleCheckSettings {
  readonly everyMs: number
  readonly main: MainPort
  readonly isIdle: () => boolean
}

/** Checks the port of one client until it is stopped. */
export class IdleCheck {
  readonly #timer: ReturnType<typeof setInterval>
  #isAsking = false

  constructor(private readonly settings: IdleCheckSettings) {
    this.#timer = setInterval(() => void this.#check(), settings.everyMs)
    // The connection keeps the program running, not the question whether it is there.
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #check(): Promise<void> {
    const { main, isIdle } = this.settings
    const { port, status } = main
    if (this.#isAsking || status.detail.status !== "ready" || !isIdle()) return
    this.#isAsking = true
    const silence = await this.#ask(port)
    this.#isAsking = false
    if (silence !== undefined) main.stale(port, silence, "closed")
  }

  /** Why the port is of no use; undefined where the server said anything at all. */
  async #ask(port: MCPPort): Promise<CallError | undefined> {
    try {
      await port.request("ping", undefined, { timeoutMs: this.settings.everyMs })
      return undefined
    } catch (error) {
      if (!isCallError(error) || (error.code !== "TIMEOUT" && error.code !== "TRANSPORT_ERROR")) return undefined
      if (error.details["status"] === 429) return undefined
      return error
    }
  }
}
