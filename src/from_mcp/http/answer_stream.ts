/**
 * The stream that answers one request, taken up again where it broke off.
 *
 * In: its first response, and what opens the stream again behind an event. Out: its events in order, to a listener, until the
 * request is answered or given up; what it ended with where there is no way on.
 * A stream is taken up from the last event that came with an id, however often it breaks: a server that keeps its events is asked
 * for those that are missing, and the request itself is never sent again.
 */
import { isCallError } from "../../error.js"
import { pauseUntil } from "../pause.js"
import { hearStream, type StreamListener } from "./answer_body.js"
import type { PostedRequest } from "./posting.js"
import { resumeDelayMs } from "./resume_delay.js"

/** Attempts in a row that brought no event. */
const MOST_ATTEMPTS = 5
/** How long a stream may stay open whose request is answered. */
const LINGER_MS = 1_000

/** How a stream is heard. */
export interface AnswerStream {
  readonly request: PostedRequest
  readonly listener: StreamListener
  /** The stream behind an event. Rejects with a CallError. */
  readonly reopen: (eventId: string) => Promise<Response>
  /** Hears that the stream ended without an answer; `error` is why, where that is known. */
  readonly failed: (reason: string, error: unknown) => void
}

/** Hears the stream to the end of its request. */
export async function hearAnswer(first: Response, { request, listener, reopen, failed }: AnswerStream): Promise<void> {
  let lastEventId: string | undefined
  let retryMs: number | undefined
  let attempts = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  request.whenSettled(() => (timer = setTimeout(() => request.abort.abort(), LINGER_MS)))
  const heard: StreamListener = {
    ...listener,
    event(event) {
      attempts = 0
      lastEventId = event.id ?? lastEventId
      retryMs = event.retryMs ?? retryMs
      listener.event(event)
    },
  }
  let error = await hearStream(first, heard)
  while (request.isOpen && lastEventId !== undefined && attempts < MOST_ATTEMPTS && !isFinal(error)) {
    // Aborts as soon as the request is given up.
    const { signal } = request.abort
    await pauseUntil(Date.now() + resumeDelayMs(attempts++, retryMs), signal)
    const resumed = signal.aborted ? undefined : reopen(lastEventId)
    error = await resumed?.then(
      (response) => hearStream(response, heard),
      (cause: unknown) => cause,
    )
  }
  clearTimeout(timer)
  if (!request.isOpen) return
  if (lastEventId !== undefined) failed("the stream of the answer broke off and could not be taken up again", error)
  else failed(error === undefined ? "the server ended the stream of the answer without an answer" : "the answer broke off", error)
}

/** A server that refuses to go on with a stream will refuse again. */
function isFinal(error: unknown): boolean {
  if (!isCallError(error)) return false
  const { status } = error.details
  return typeof status !== "number" || (status < 500 && status !== 408 && status !== 429)
}
