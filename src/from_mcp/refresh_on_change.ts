/**
 * Lists the tools again when the server says that they have changed.
 *
 * In: the present port, and what refreshes. Out: nothing, until it is stopped. Servers send such notifications in bursts, and
 * while a listing is under way: those of a short time count as one, and one that comes during a listing leads to a further
 * listing. One that comes before `start` is not forgotten.
 */
import { toCallError } from "../error.js"
import type { MCPPort } from "./port.js"
import type { Warn } from "./warning_log.js"

const BURST_MS = 50

/** Refreshes after each burst of notifications. A refresh that fails is a warning. */
export class RefreshOnChange {
  #refresh: (() => Promise<void>) | undefined
  #unlisten: (() => void) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isListing = false
  #isDue = false
  #isStopped = false

  constructor(private readonly warn: Warn) {}

  /** Listens to this port, and to no other any more; its tools are about to be listed. */
  follow(port: MCPPort): void {
    this.#forget()
    if (!this.#isStopped) this.#unlisten = port.onNotification("notifications/tools/list_changed", () => this.#changed())
  }

  start(refresh: () => Promise<void>): void {
    this.#refresh = refresh
    if (this.#isDue) this.#changed()
  }

  stop(): void {
    this.#isStopped = true
    this.#forget()
  }

  #forget(): void {
    this.#unlisten?.()
    this.#unlisten = undefined
    this.#isDue = false
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #changed(): void {
    if (this.#refresh === undefined || this.#isListing) this.#isDue = true
    else this.#timer ??= setTimeout(() => void this.#list(), BURST_MS)
  }

  async #list(): Promise<void> {
    this.#timer = undefined
    this.#isDue = false
    this.#isListing = true
    try {
      await this.#refresh?.()
    } catch (error) {
      if (!this.#isStopped) this.warn("listing", `The tools have changed, and listing them again failed: ${toCallError(error).message}`)
    }
    this.#listed()
  }

  #listed(): void {
    this.#isListing = false
    if (this.#isDue && !this.#isStopped) this.#changed()
  }
}
