/**
 * The stream of a session that belongs to no request: what the server says of its own accord.
 *
 * In: what opens it. Out: its events, to a listener, until it is stopped. Servers need not have one, and one that breaks is opened
 * again quietly, behind its last event, for as long as the session lasts: the calls do not depend on it.
 */
import { isCallError } from "../../error.js"
import { pauseUntil } from "../pause.js"
import { hearStream, type StreamListener } from "./answer_body.js"
import { resumeDelayMs } from "./resume_delay.js"

/** Opens the stream, behind an event where there was one; undefined where the server has none. Rejects with a CallError. */
export type OpenSessionStream = (eventId: string | undefined, signal: AbortSignal) => Promise<Response | undefined>

/** Keeps the stream open. */
export class SessionStream {
  readonly #stopped = new AbortController()
  #isStarted = false

  constructor(
    private readonly listener: StreamListener,
    /** Hears of the one failure that ends the attempts. */
    private readonly refused: (error: unknown) => void,
  ) {}

  /** Opens it; nothing where that has been done. */
  start(open: OpenSessionStream): void {
    if (this.#isStarted) return
    this.#isStarted = true
    void this.#keep(open)
  }

  stop(): void {
    this.#stopped.abort()
  }

  async #keep(open: OpenSessionStream): Promise<void> {
    const { signal } = this.#stopped
    let lastEventId: string | undefined
    let retryMs: number | undefined
    let attempts = 0
    const heard: StreamListener = {
      ...this.listener,
      event: (event) => {
        lastEventId = event.id ?? lastEventId
        retryMs = event.retryMs ?? retryMs
        this.listener.event(event)
      },
    }
    for (;;) {
      try {
        const response = await open(lastEventId, signal)
        if (response === undefined) return
        attempts = 0
        await hearStream(response, heard)
      } catch (error) {
        if (!signal.aborted && isRefusal(error)) this.refused(error)
        if (isRefusal(error)) return
      }
      await pauseUntil(Date.now() + resumeDelayMs(attempts++, retryMs), signal)
      if (signal.aborted) return
    }
  }
}

/** True for a status that would come again. Whether the session is gone, the next call finds out. */
function isRefusal(error: unknown): boolean {
  if (!isCallError(error)) return true
  const { status, kind } = error.details
  if (typeof status === "number") return status < 500 && status !== 408 && status !== 429
  return kind === "redirect" || kind === "network_policy" || error.code !== "TRANSPORT_ERROR"
}
