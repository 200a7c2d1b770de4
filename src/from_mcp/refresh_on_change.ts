/**
 * Lists the tools again when the server says that they have changed.
 *
 * In: the present port, and what refreshes. Out: nothing, until it is stopped. Servers send such notifications in bursts, and
 * while a listing is under way: those of a short time count as one, and one that comes during a listing leads to a further
 * listing. One that comes before `start` is not forgotten. Where listings bring nothing new, as with a server that says so each time
 * it is asked, they come later and later.
 */
import { toCallError } from "../error.js"
import type { MCPPort } from "./port.js"
import type { Warn } from "./warning_log.js"

const BURST_MS = 50
const LONGEST_MS = 30_000
/** So many pauses without a word, and the next notification is taken as the first one. */
const QUIET_PAUSES = 4

/** Refreshes after each burst of notifications. A refresh that fails is a warning. */
export class RefreshOnChange {
  #refresh: (() => Promise<boolean>) | undefined
  #pauseMs = BURST_MS
  #listedAt = 0
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

  /** `refresh` gives true where something has changed. */
  start(refresh: () => Promise<boolean>): void {
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
    else if (this.#timer === undefined) {
      if (Date.now() - this.#listedAt > QUIET_PAUSES * this.#pauseMs) this.#pauseMs = BURST_MS
      this.#timer = setTimeout(() => void this.#list(), this.#pauseMs)
    }
  }

  async #list(): Promise<void> {
    this.#timer = undefined
    this.#isDue = false
    this.#isListing = true
    let isNew = false
    try {
      isNew = (await this.#refresh?.()) === true
    } catch (error) {
      if (!this.#isStopped) this.warn("listing", `The tools have changed, and listing them again failed: ${toCallError(error).message}`)
    }
    this.#listed(isNew)
  }

  #listed(isNew: boolean): void {
    this.#pauseMs = isNew ? BURST_MS : Math.min(2 * this.#pauseMs, LONGEST_MS)
    this.#listedAt = Date.now()
    this.#isListing = false
    if (this.#isDue && !this.#isStopped) this.#changed()
  }
}
