/**
 * Whether a connection works: what it says of itself, and whether anything still comes through it.
 *
 * In: a connection. Out: its ups and downs, and what the server refuses. A connection whose reader has died stays "connected" and answers
 * nothing (a throw in anybody's callback on it is enough), so it is asked every few seconds, and connected anew where it is deaf.
 */
import type { NATSConnection } from "./connection.js"

/** What is told of a connection. */
export interface ConnectionListener {
  up(): void
  down(): void
  /** The server refused something that was published to a subject. */
  refused(subject: string): void
}

/** Watches a connection until it is told to stop. */
export class ConnectionWatch {
  readonly #connection: NATSConnection
  readonly #listener: ConnectionListener
  readonly #everyMs: number
  readonly #statuses: AsyncIterator<{ readonly type: string }>
  #isUp = true
  #stopped = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(connection: NATSConnection, everyMs: number, listener: ConnectionListener) {
    this.#connection = connection
    this.#everyMs = everyMs
    this.#listener = listener
    this.#statuses = connection.status()[Symbol.asyncIterator]()
    this.#isUp = !connection.isClosed()
    void this.#follow()
    connection.closed().then(
      () => this.#set(false),
      () => this.#set(false),
    )
    this.#ask()
  }

  get isUp(): boolean {
    return this.#isUp
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
    void this.#statuses.return?.()
  }

  async #follow(): Promise<void> {
    for (;;) {
      const step = await this.#statuses.next()
      if (step.done === true || this.#stopped) return
      const status: { readonly type: string } = step.value
      switch (status.type) {
        case "disconnect":
        case "close":
          this.#set(false)
          break
        case "reconnect":
          this.#set(true)
          break
        case "error": {
          const subject = refusedSubject(status)
          if (subject !== undefined) this.#listener.refused(subject)
        }
      }
    }
  }

  #set(isUp: boolean): void {
    if (this.#stopped || this.#isUp === isUp) return
    this.#isUp = isUp
    if (isUp) this.#listener.up()
    else this.#listener.down()
  }

  #ask(): void {
    this.#timer = setTimeout(() => void this.#askNow(), this.#everyMs)
    this.#timer.unref()
  }

  async #askNow(): Promise<void> {
    if (this.#isUp && !(await this.#hears())) this.#connectAnew()
    if (!this.#stopped && !this.#connection.isClosed()) this.#ask()
  }

  #connectAnew(): void {
    // Meanwhile it may have noticed by itself, or been told to stop.
    if (this.#stopped || !this.#isUp) return
    this.#set(false)
    // The connection's own "reconnect" says when it is up again.
    this.#connection.reconnect().catch(() => undefined)
  }

  /** False where the server's answer does not come through in time. */
  async #hears(): Promise<boolean> {
    const seen = { answer: false }
    const heard = () => {
      seen.answer = true
    }
    const answer = this.#connection.flush().then(heard, heard)
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#everyMs)
      timer.unref()
    })
    await Promise.race([answer, late])
    clearTimeout(timer)
    // A busy process finds the timer and the answer due at the same time: what has arrived is read before it is judged.
    for (let turn = 0; turn < 3 && !seen.answer; turn++) await new Promise((resolve) => setTimeout(resolve, 0))
    return seen.answer
  }
}

function refusedSubject(status: { readonly type: string }): string | undefined {
  const error: unknown = Reflect.get(status, "error")
  if (typeof error !== "object" || error === null) return undefined
  if (Reflect.get(error, "operation") !== "publish") return undefined
  const subject: unknown = Reflect.get(error, "subject")
  return typeof subject === "string" ? subject : undefined
}
