/**
 * The open calls of a worker, and what is said of them while they last.
 *
 * In: calls that come and go. Out: "accepted" for those that are not quick, keep-alives for those that last, one timer for all of them.
 * The keep-alive is sent with a reply subject: where nobody listens at the caller any more, the server answers there at once, which is how a
 * worker hears of callers that died.
 */
import type { ServedCall } from "./served_call.js"
import { inboxPrefix, randomToken } from "./subjects.js"

/** When things are said, in milliseconds, and about whom. */
export interface ServedCallsOptions {
  readonly worker: string
  readonly acceptMs: number
  readonly keepAliveMs: number
  /** The parts of its request stopped coming. */
  readonly neverWhole: (call: ServedCall) => void
}

const LOST_AFTER = 3

/** Open calls by the subject that they are answered to. */
export class ServedCalls {
  readonly #options: ServedCallsOptions
  readonly #calls = new Map<string, ServedCall>()
  readonly #perCaller = new Map<string, number>()
  readonly #fresh = new Set<ServedCall>()
  readonly #lostInbox: string
  #timer: ReturnType<typeof setInterval> | undefined
  #keepAliveAt = 0
  #whenEmpty: (() => void) | undefined

  constructor(options: ServedCallsOptions) {
    this.#options = options
    this.#lostInbox = `${inboxPrefix(options.worker)}.${randomToken()}.`
  }

  /** What the server's word on lost callers comes to. */
  get lostSubject(): string {
    return `${this.#lostInbox}*`
  }

  all(): ServedCall[] {
    return [...this.#calls.values()]
  }

  get(reply: string): ServedCall | undefined {
    return this.#calls.get(reply)
  }

  /** The call whose keep-alive found nobody. */
  lost(subject: string): ServedCall | undefined {
    const number = Number.parseInt(subject.slice(this.#lostInbox.length), 36)
    for (const call of this.#calls.values()) if (call.number === number) return call
    return undefined
  }

  /** How many calls of a caller are open. */
  countOf(caller: string): number {
    return this.#perCaller.get(caller) ?? 0
  }

  add(call: ServedCall): void {
    this.#calls.set(call.reply, call)
    this.#fresh.add(call)
    this.#perCaller.set(call.caller, this.countOf(call.caller) + 1)
    if (this.#timer !== undefined) return
    this.#keepAliveAt = call.receivedAt + this.#options.keepAliveMs
    this.#timer = setInterval(() => this.#look(), Math.max(5, this.#options.acceptMs / 2))
    this.#timer.unref()
  }

  /** False where it has left already. */
  remove(call: ServedCall): boolean {
    if (this.#calls.get(call.reply) !== call) return false
    this.#calls.delete(call.reply)
    this.#fresh.delete(call)
    const left = this.countOf(call.caller) - 1
    if (left <= 0) this.#perCaller.delete(call.caller)
    else this.#perCaller.set(call.caller, left)
    return true
  }

  /** To be called after a call has left and its place is free. */
  rest(): void {
    if (this.#calls.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#whenEmpty?.()
  }

  /** Resolves when no call is open, or after so many milliseconds. */
  empty(timeoutMs: number): Promise<void> {
    if (this.#calls.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs)
      this.#whenEmpty = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  #look(): void {
    const now = Date.now()
    const { acceptMs, keepAliveMs, neverWhole } = this.#options
    for (const call of this.#fresh) {
      // They stand in the order in which they came.
      if (now - call.receivedAt < acceptMs) break
      this.#fresh.delete(call)
      call.accept()
    }
    if (now < this.#keepAliveAt) return
    this.#keepAliveAt = now + keepAliveMs
    for (const call of this.all()) {
      if (call.assembly !== undefined && now - call.heardAt > LOST_AFTER * keepAliveMs) neverWhole(call)
      else if (call.accepted) call.keepAlive(this.#lostInbox + call.number.toString(36))
    }
  }
}
