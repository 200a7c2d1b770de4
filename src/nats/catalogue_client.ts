/**
 * Asks workers for pages of their catalogues.
 *
 * In: a worker and a cursor. Out: the bytes of its answer, or a CallError when none comes in time. Answers come to an inbox of their own
 * within the caller's; each question has a number there, and what comes for none of them is dropped.
 */
import { CallError } from "../error.js"
import { atDeadline } from "../operation.js"
import type { NATSConnection, NATSMessage, NATSSubscription } from "./connection.js"
import { inboxPrefix, randomToken, type Subjects } from "./subjects.js"

/** What a catalogue client is made with. */
export interface CatalogueClientOptions {
  readonly connection: NATSConnection
  readonly subjects: Subjects
  readonly caller: string
  readonly token: () => string | undefined
}

interface Question {
  readonly answer: (data: Uint8Array) => void
  readonly fail: (error: CallError) => void
}

/** One inbox for the answers of all workers. */
export class CatalogueClient {
  readonly #options: CatalogueClientOptions
  readonly #inbox: string
  readonly #questions = new Map<string, Question>()
  readonly #subscription: NATSSubscription
  #count = 0

  constructor(options: CatalogueClientOptions) {
    this.#options = options
    this.#inbox = `${inboxPrefix(options.caller)}.${randomToken()}.`
    this.#subscription = options.connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => {
        // A throw in a callback makes the whole connection deaf for good.
        try {
          if (error === null) this.#take(message)
        } catch {
          // Whoever asked hears of it by its timeout.
        }
      },
    })
  }

  /** One page, as bytes. @throws CallError TIMEOUT or TRANSPORT_ERROR */
  ask(worker: string, cursor: string | undefined, timeoutMs: number): Promise<Uint8Array> {
    const { connection, subjects, caller, token } = this.#options
    const key = (this.#count++).toString(36)
    return new Promise((resolve, reject) => {
      const cancel = atDeadline(Date.now() + timeoutMs, () => fail(new CallError("TIMEOUT", `"${worker}" did not answer within ${String(timeoutMs)} ms when it was asked for its catalogue`, { details: { worker, outcome: "unknown" } })))
      const leave = () => {
        cancel()
        this.#questions.delete(key)
      }
      const fail = (error: CallError) => {
        leave()
        reject(error)
      }
      const answer = (data: Uint8Array) => {
        leave()
        resolve(data)
      }
      this.#questions.set(key, { answer, fail })
      try {
        connection.publish(subjects.catalogue(worker, caller), JSON.stringify({ v: 1, cursor, token: token() }), { reply: this.#inbox + key })
      } catch (cause) {
        fail(gone(worker, cause))
      }
    })
  }

  /** Asks nothing any more; open questions fail. */
  close(): void {
    this.#subscription.unsubscribe()
    for (const { fail } of [...this.#questions.values()]) fail(new CallError("TRANSPORT_ERROR", "The mirror was closed", { details: { outcome: "unknown" } }))
  }

  #take({ subject, data, headers }: NATSMessage): void {
    const question = this.#questions.get(subject.slice(this.#inbox.length))
    if (question === undefined) return
    if (data.length === 0 && headers?.code === 503) question.fail(gone(undefined, undefined))
    else question.answer(data)
  }
}

function gone(worker: string | undefined, cause: unknown): CallError {
  const whose = worker === undefined ? "the worker" : `"${worker}"`
  return new CallError("TRANSPORT_ERROR", `The catalogue of ${whose} cannot be asked for: nobody answers there`, { details: { outcome: "not_started" }, cause })
}
