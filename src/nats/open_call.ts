/**
 * One open call, at its caller: what its inbox brings, and what is told to the worker that has it.
 *
 * In: frames. Out: events to the sink, in order, until the first one that ends the call. What comes under another request's id is not
 * this call's and ends nothing.
 */
import type { CallAnswer, CallRequested, OpenCall } from "../call.js"
import type { Outcome } from "../error.js"
import { Assembly, readPartHeader } from "./chunks.js"
import type { NATSMessage } from "./connection.js"
import { Misread, readFrame, readMessage, writeControl, type CallAccepted, type Control } from "./frames.js"
import { CHUNK_HEADER } from "./headers.js"
import type { Outlet } from "./outlet.js"
import { isToken, type Subjects } from "./subjects.js"

/** What an open call uses of its transport. */
export interface OpenCallHome {
  readonly caller: string
  readonly subjects: Subjects
  readonly outlet: Outlet
  left(call: NATSOpenCall): void
  ignored(): void
  answeredBy(requestId: string, worker: string): void
}

const LONGEST_KEEP_ALIVE_MS = 30_000

/** A call between its request and its end. */
export class NATSOpenCall implements OpenCall {
  readonly request: CallRequested
  readonly reply: string
  readonly subject: string
  /** Bytes of the request. */
  bytes = 0
  /** When something was heard of the call last, in epoch milliseconds. */
  heardAt: number
  /** The worker that has the call, where it has said so. */
  worker: string | undefined
  /** How often its worker said it would say that the call is still there, in milliseconds. */
  everyMs = 0
  readonly #home: OpenCallHome
  readonly #sink: (event: CallAnswer) => void
  #restOfRequest: Uint8Array | undefined
  /** Room that the worker has not been told of. */
  #credit = 0
  /** Items that may still come. */
  #room = 0
  #asked = false
  #assembly: Assembly | undefined
  #over = false
  #aborted = false

  constructor(request: CallRequested, sink: (event: CallAnswer) => void, home: OpenCallHome, reply: string, subject: string, now: number) {
    this.request = request
    this.#sink = sink
    this.#home = home
    this.reply = reply
    this.subject = subject
    this.heardAt = now
  }

  /** The request is long: its other parts go to the worker that takes the first one. */
  sendRestLater(bytes: Uint8Array): void {
    this.#restOfRequest = bytes
  }

  abort(): void {
    if (this.#aborted || this.#over) return
    this.#aborted = true
    this.#restOfRequest = undefined
    this.#tell({ t: "call.aborted", reply: this.reply })
  }

  grant(items: number): void {
    if (this.#over || !(items > 0)) return
    this.#room += items
    this.#credit += items
    this.#tellRoom()
  }

  /** Takes a message of the inbox. */
  receive(message: NATSMessage, now: number): void {
    if (this.#over) return this.#home.ignored()
    this.heardAt = now
    const { headers, data } = message
    if (headers !== undefined) {
      if (data.length === 0 && headers.code === 503) return this.#nobody()
      const part = headers.get(CHUNK_HEADER)
      if (part !== "") return this.#takePart(part, data)
    }
    this.#takeWhole(data)
  }

  /** Ends the call from this side. */
  fail(code: string, message: string, outcome: Outcome, more: Record<string, unknown> = {}): void {
    if (this.#over) return
    const worker = this.worker === undefined ? {} : { worker: this.worker }
    this.#end({
      type: "call.error",
      requestId: this.request.requestId,
      code,
      message,
      details: { operationId: this.request.operationId, ...worker, ...more, outcome },
    })
  }

  /** Tells the workers that nobody waits for this call any more; for a call that ended while there was no connection. */
  tellOver(): void {
    this.#tell({ t: "call.aborted", reply: this.reply })
  }

  /** Nothing can be known any more; the worker is told where it may still hear. */
  giveUp(code: string, message: string, outcome: Outcome, more?: Record<string, unknown>): void {
    if (this.#over) return
    this.abort()
    this.fail(code, message, outcome, more)
  }

  #takeWhole(data: Uint8Array): void {
    const message = readMessage(data)
    const frame = message instanceof Misread ? message : readFrame(message)
    if (frame instanceof Misread) {
      this.giveUp("PROTOCOL_ERROR", `The answer to "${this.request.operationId}" cannot be read: ${frame.why}`, "unknown")
      return
    }
    if (frame.type === "call.keepalive") return
    if (frame.type === "call.accepted") return this.#accepted(frame)
    if (frame.requestId !== this.request.requestId) {
      // A request that was refused unread has no name yet; its inbox says which one it is.
      if (frame.type === "call.error" && frame.requestId === "") this.#end({ ...frame, requestId: this.request.requestId })
      else this.#home.ignored()
      return
    }
    if (frame.type === "call.progress") return this.#sink(frame)
    const by = message instanceof Misread ? undefined : message["worker"]
    if (typeof by === "string") this.#home.answeredBy(frame.requestId, by)
    if (frame.type === "call.responded" && frame.seq !== undefined) this.#item(frame)
    else this.#end(frame)
  }

  #item(frame: CallAnswer): void {
    // A worker that does not wait for room would fill this process.
    if (--this.#room < 0) this.giveUp("PROTOCOL_ERROR", `The worker of "${this.request.operationId}" sent more items than there was room for`, "unknown")
    else this.#sink(frame)
  }

  #takePart(header: string, data: Uint8Array): void {
    const part = readPartHeader(header)
    if (part === undefined || part.bytes > this.#home.outlet.maxMessageBytes) return this.#broken(part === undefined ? "its header is none" : "it is too long")
    if (part.index === 0) this.#assembly = new Assembly(part)
    const whole = this.#assembly?.add(part, data) ?? "broken"
    if (whole === "more") return
    this.#assembly = undefined
    if (whole === "broken") this.#broken("its parts do not follow each other")
    else this.#takeWhole(whole)
  }

  #broken(why: string): void {
    this.giveUp("PROTOCOL_ERROR", `The answer to "${this.request.operationId}" came in parts and cannot be put together: ${why}`, "unknown")
  }

  #accepted({ worker, room, everyMs = 0 }: CallAccepted): void {
    // The first one has it. Whoever claims so after that is not asked for anything.
    if (!isToken(worker) || (this.worker !== undefined && this.worker !== worker)) return
    if (room === true) this.#asked = true
    // A worker that promises to speak once an hour does not keep a call open for three.
    this.everyMs = Math.min(everyMs, LONGEST_KEEP_ALIVE_MS)
    if (this.worker === undefined) this.#known(worker)
    this.#tellRoom()
  }

  #known(worker: string): void {
    this.worker = worker
    const { outlet, subjects, caller } = this.#home
    const rest = this.#restOfRequest
    this.#restOfRequest = undefined
    if (rest !== undefined) outlet.sendParts(subjects.control(worker, caller), rest, this.reply, 1)
    if (this.#aborted) this.#tell({ t: "call.aborted", reply: this.reply })
  }

  /** Room is told to a worker that asks for it: only subscriptions do. */
  #tellRoom(): void {
    if (!this.#asked || this.#credit === 0 || this.#aborted) return
    const items = this.#credit
    this.#credit = 0
    this.#tell({ t: "call.credit", reply: this.reply, items })
  }

  /** The server says that nobody subscribes to what was sent: the request itself, or a part of it when its worker has gone. */
  #nobody(): void {
    const { operationId } = this.request
    if (this.worker === undefined) {
      this.fail("TRANSPORT_ERROR", `No worker serves "${operationId}" at this moment`, "not_started", { kind: "no_worker", remedy: "start a worker that exposes it" })
    } else this.fail("TRANSPORT_ERROR", `The worker of "${operationId}" has gone`, "unknown", { kind: "lost" })
  }

  #tell(control: Control): void {
    const { outlet, subjects, caller } = this.#home
    outlet.send(this.worker === undefined ? subjects.controlAll(caller) : subjects.control(this.worker, caller), writeControl(control))
  }

  #end(event: CallAnswer): void {
    this.#over = true
    this.#assembly = undefined
    this.#restOfRequest = undefined
    this.#home.left(this)
    this.#sink(event)
  }
}
