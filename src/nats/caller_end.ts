/**
 * The caller's end of the transport: calls that are open, and the one inbox that all their answers come to.
 *
 * In: requests. Out: events to their sinks. Each call has a number in the inbox of this connection; nobody but a worker may publish there.
 * A call whose worker has fallen silent is ended: a worker says at least every few seconds that it has a call.
 */
import type { CallAnswer, CallRequested, OpenCall } from "../call.js"
import type { Outcome } from "../error.js"
import type { NATSConnection, NATSMessage, NATSSubscription } from "./connection.js"
import { writeRequest } from "./frames.js"
import { headerText } from "./headers.js"
import { NATSOpenCall, type OpenCallHome } from "./open_call.js"
import type { Outlet } from "./outlet.js"
import { inboxPrefix, randomToken, type Subjects } from "./subjects.js"

/** Where a call is to go: to one worker, and only where that one holds this definition of the operation. */
export interface CallDestination {
  readonly worker?: string | undefined
  readonly digest?: string | undefined
}

/** What the caller's end is made with. */
export interface CallerEndOptions {
  readonly connection: NATSConnection
  readonly subjects: Subjects
  readonly outlet: Outlet
  readonly caller: string
  readonly token: () => string | undefined
  readonly answered: ((requestId: string, worker: string) => void) | undefined
  readonly route: (operationId: string) => CallDestination | undefined
  readonly maxOpenBytes: number
  readonly keepAliveMs: number
  readonly isUp: () => boolean
}

/** Silence of so many keep-alives means that the worker has gone. */
const LOST_AFTER = 3
const MAX_SUBJECTS = 10_000
const MAX_GIVEN_UP = 10_000

/** All open calls of one connection. */
export class CallerEnd implements OpenCallHome {
  readonly caller: string
  readonly subjects: Subjects
  readonly outlet: Outlet
  readonly #options: CallerEndOptions
  readonly #inbox: string
  readonly #open = new Map<string, NATSOpenCall>()
  readonly #callSubjects = new Map<string, string | undefined>()
  readonly #subscription: NATSSubscription
  #givenUp: NATSOpenCall[] = []
  #refused: Error | undefined
  #count = 0
  #bytes = 0
  #ignoredCount = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #lookedAt = 0
  /** Silence before this time counts for nothing: this process itself was not listening. */
  #listeningSince = 0

  constructor(options: CallerEndOptions) {
    this.#options = options
    this.caller = options.caller
    this.subjects = options.subjects
    this.outlet = options.outlet
    this.#inbox = `${inboxPrefix(options.caller)}.${randomToken()}.`
    this.#subscription = options.connection.subscribe(`${this.#inbox}*`, {
      callback: (error, message) => {
        // A throw in a callback makes the whole connection deaf for good.
        try {
          if (error === null) this.#receive(message)
          else this.#refused = error
        } catch {
          this.#ignoredCount++
        }
      },
    })
  }

  get openCount(): number {
    return this.#open.size
  }

  /** How many messages came for calls that are over, or were nobody's. */
  get ignoredCount(): number {
    return this.#ignoredCount
  }

  /** What the server said to the subscription of the inbox, where it refused it. */
  get refusal(): Error | undefined {
    return this.#refused
  }

  open(request: CallRequested, sink: (event: CallAnswer) => void): OpenCall {
    const { connection, isUp, route, token, maxOpenBytes } = this.#options
    const now = Date.now()
    const key = (this.#count++).toString(36)
    const destination = route(request.operationId)
    const subject = destination?.worker === undefined ? this.#subjectOf(request.operationId) : this.subjects.callTo(destination.worker, this.caller, request.operationId)
    const call = new NATSOpenCall(request, sink, this, this.#inbox + key, subject ?? "", now)
    const refuse = (code: string, message: string, more?: Record<string, unknown>): OpenCall => {
      call.fail(code, message, "not_started", more)
      return call
    }
    if (!isUp()) {
      return refuse("TRANSPORT_ERROR", connection.isClosed() ? "The connection to NATS is closed" : "There is no connection to the NATS server at this moment", { kind: "disconnected" })
    }
    if (subject === undefined) {
      return refuse("OPERATION_NOT_FOUND", `"${request.operationId}" is no id that can be called over NATS: it wants namespace.name, and at most 512 bytes of subject`, { nearest: [] })
    }
    let text: string
    try {
      text = writeRequest(request, now, token(), destination?.digest)
    } catch (thrown) {
      return refuse("VALIDATION_ERROR", `The input of "${request.operationId}" has no JSON: ${thrown instanceof Error ? thrown.message : "it cannot be written"}`, { issues: [] })
    }
    const long = this.outlet.long(text)
    call.bytes = long?.length ?? text.length
    if (call.bytes > this.outlet.maxMessageBytes) {
      const limit = this.outlet.maxMessageBytes
      return refuse("RESOURCE_EXHAUSTED", `The request of "${request.operationId}" has ${String(call.bytes)} bytes; the limit is ${String(limit)}`, { kind: "payload", limit, value: call.bytes })
    }
    if (this.#bytes + call.bytes > maxOpenBytes) {
      return refuse("RESOURCE_EXHAUSTED", `"${request.operationId}" was refused: open calls hold ${String(this.#bytes)} bytes of requests already`, { limit: maxOpenBytes, value: this.#bytes + call.bytes })
    }
    this.#bytes += call.bytes
    this.#open.set(key, call)
    if (this.#timer === undefined) this.#startLooking(now)
    if (long === undefined) this.outlet.send(subject, text, call.reply, request.traceparent === undefined ? undefined : [["traceparent", headerText(request.traceparent)]])
    else {
      call.sendRestLater(long)
      this.outlet.sendParts(subject, long, call.reply, 0, 1)
    }
    return call
  }

  left(call: NATSOpenCall): void {
    if (this.#open.delete(call.reply.slice(this.#inbox.length))) this.#bytes -= call.bytes
    if (this.#open.size === 0) this.#stopLooking()
  }

  ignored(): void {
    this.#ignoredCount++
  }

  answeredBy(requestId: string, worker: string): void {
    this.#options.answered?.(requestId, worker)
  }

  /** Ends every open call. */
  failAll(code: string, message: string, outcome: Outcome, more?: Record<string, unknown>): void {
    for (const call of [...this.#open.values()]) call.fail(code, message, outcome, more)
  }

  /** The connection was lost: nothing can be known of what is open. */
  disconnected(): void {
    this.#givenUp = [...this.#givenUp, ...this.#open.values()].slice(-MAX_GIVEN_UP)
    this.failAll("TRANSPORT_ERROR", "The connection to the NATS server was lost", "unknown", { kind: "disconnected" })
  }

  /** The connection is back: workers need not go on with what nobody waits for. */
  connected(): void {
    const givenUp = this.#givenUp
    this.#givenUp = []
    for (const call of givenUp) call.tellOver()
  }

  /** The server refused what was published to a subject: those calls never went anywhere. */
  refusedSubject(subject: string): void {
    for (const call of [...this.#open.values()]) {
      if (call.subject !== subject || call.worker !== undefined) continue
      call.fail("ACCESS_DENIED", `The NATS server does not let "${this.caller}" call "${call.request.operationId}"`, "not_started", { missing: { subject } })
    }
  }

  close(): void {
    this.#stopLooking()
    this.#subscription.unsubscribe()
  }

  #receive(message: NATSMessage): void {
    const call = this.#open.get(message.subject.slice(this.#inbox.length))
    if (call === undefined) this.#ignoredCount++
    else call.receive(message, Date.now())
  }

  #subjectOf(operationId: string): string | undefined {
    const known = this.#callSubjects.get(operationId)
    if (known !== undefined) return known
    const subject = this.subjects.call(this.caller, operationId)
    if (this.#callSubjects.size >= MAX_SUBJECTS) this.#callSubjects.clear()
    this.#callSubjects.set(operationId, subject)
    return subject
  }

  #startLooking(now: number): void {
    this.#lookedAt = now
    this.#timer = setInterval(() => this.#look(), this.#options.keepAliveMs / 2)
    this.#timer.unref()
  }

  #stopLooking(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  #look(): void {
    const now = Date.now()
    const { keepAliveMs } = this.#options
    // Late by a whole period: this process was busy or asleep, and what workers said meanwhile is still to be read.
    if (now - this.#lookedAt > keepAliveMs) this.#listeningSince = now
    this.#lookedAt = now
    for (const call of [...this.#open.values()]) {
      const silentSince = now - LOST_AFTER * Math.max(keepAliveMs, call.everyMs)
      if (call.heardAt > silentSince || this.#listeningSince > silentSince) continue
      const { operationId } = call.request
      call.giveUp("TRANSPORT_ERROR", `Nothing was heard of the worker of "${operationId}" for ${String(now - call.heardAt)} ms`, "unknown", { kind: "lost" })
    }
  }
}
