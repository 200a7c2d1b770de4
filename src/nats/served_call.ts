/**
 * One call at its worker: the way back to the caller, and what the caller says about it meanwhile.
 *
 * In: answers of the handler, abort and credit of the caller. Out: messages to the caller's inbox, until the one that ends the call.
 */
import { ReplyState, type CallAnswer, type CallErrorEvent, type CallReply } from "../call.js"
import { CallError } from "../error.js"
import type { Assembly } from "./chunks.js"
import { statusOf } from "./codes.js"
import { KEEP_ALIVE, writeAccepted, writeAnswer } from "./frames.js"
import { headerText } from "./headers.js"
import type { Headers, Outlet } from "./outlet.js"

/** What a served call uses of its transport. */
export interface ServedCallHome {
  readonly name: string
  readonly outlet: Outlet
  readonly keepAliveMs: number
  /** The call has ended; `error` where it ended with one. */
  left(call: ServedCall, error: CallErrorEvent | undefined): void
}

/** A call between its request and its end. */
export class ServedCall extends ReplyState implements CallReply {
  readonly caller: string
  readonly reply: string
  readonly receivedAt: number
  /** Of all calls of its worker. */
  readonly number: number
  /** Where the request comes in parts, until it is whole. */
  assembly: Assembly | undefined
  heardAt: number
  /** True once it has a place among the calls that run. */
  placed = false
  requestId = ""
  operationId = ""
  readonly #home: ServedCallHome
  #accepted = false
  #streams = false

  constructor(caller: string, reply: string, receivedAt: number, number: number, home: ServedCallHome) {
    super()
    this.caller = caller
    this.reply = reply
    this.receivedAt = receivedAt
    this.heardAt = receivedAt
    this.number = number
    this.#home = home
  }

  /** True where the caller has been told that this worker has the call. */
  get accepted(): boolean {
    return this.#accepted
  }

  /** True for a subscription: it cannot go on after messages were lost. */
  get streams(): boolean {
    return this.#streams
  }

  /** Tells the caller who has its call. */
  accept(): void {
    if (this.#accepted || this.over) return
    this.#accepted = true
    this.#home.outlet.send(this.reply, writeAccepted(this.#home.name, this.#home.keepAliveMs))
  }

  /** Says that the call is still there. Where nobody listens at the caller any more, the server says so to the given subject. */
  keepAlive(replyTo: string): void {
    if (!this.over) this.#home.outlet.send(this.reply, KEEP_ALIVE, replyTo)
  }

  send(event: CallAnswer): Promise<void> {
    if (this.over) return Promise.reject(this.goneError())
    const { outlet } = this.#home
    let text: string
    try {
      text = writeAnswer(event, this.#home.name)
    } catch (cause) {
      return Promise.reject(new CallError("EXECUTION_ERROR", `The result of "${this.operationId}" has no JSON`, { details: { operationId: this.operationId, outcome: "unknown" }, cause }))
    }
    const long = outlet.long(text)
    if (long !== undefined && long.length > outlet.maxMessageBytes) return Promise.reject(this.#tooLong(long.length))
    const last = !(event.type === "call.progress" || (event.type === "call.responded" && event.seq !== undefined))
    // What is over is taken off the books first: after the last message the caller may call again at once.
    if (last) this.#end(event.type === "call.error" ? event : undefined)
    if (long === undefined) outlet.send(this.reply, text, undefined, event.type === "call.error" ? errorHeaders(event) : undefined)
    else outlet.sendParts(this.reply, long, undefined)
    return last ? SENT : outlet.room()
  }

  /** Ends the call with an error, whatever its handler does. */
  fail(code: string, message: string, details: Record<string, unknown>): void {
    if (this.over) return
    this.send({ type: "call.error", requestId: this.requestId, code, message, details: { ...(this.operationId === "" ? {} : { operationId: this.operationId }), ...details } }).catch(() => undefined)
  }

  override credit(): Promise<void> {
    if (!this.#streams && !this.over && !this.aborted) {
      this.#streams = true
      this.#accepted = true
      this.#home.outlet.send(this.reply, writeAccepted(this.#home.name, this.#home.keepAliveMs, true))
    }
    return super.credit()
  }

  #end(error: CallErrorEvent | undefined): void {
    this.finish()
    this.#home.left(this, error)
    this.assembly = undefined
  }

  #tooLong(bytes: number): CallError {
    const limit = this.#home.outlet.maxMessageBytes
    return new CallError("RESOURCE_EXHAUSTED", `The answer of "${this.operationId}" has ${String(bytes)} bytes; the limit is ${String(limit)}`, {
      details: { operationId: this.operationId, kind: "payload", limit, value: bytes, outcome: "unknown" },
    })
  }
}

/** What clients of the services protocol look for. */
function errorHeaders({ code, message }: CallErrorEvent): Headers {
  return [
    ["Nats-Service-Error", headerText(message)],
    ["Nats-Service-Error-Code", String(statusOf(code))],
  ]
}

const SENT = Promise.resolve()
