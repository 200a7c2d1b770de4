/**
 * The worker's end of the transport: requests that come in, and which of them are let through to the handler.
 *
 * In: messages of callers, who may write anything. Out: calls of the handler, each with the identity that the host gives to the caller that
 * the subject names. Nothing is ever published to a reply subject outside of that caller's own inbox: the worker's rights on the server are
 * wider than the caller's, and an answer sent elsewhere would carry them.
 */
import type { CallErrorEvent, CallRequestHandler, CallRequested } from "../call.js"
import { isCallError } from "../error.js"
import type { Identity } from "../operation.js"
import { CallAge } from "./call_age.js"
import { Assembly, readPartHeader } from "./chunks.js"
import type { NATSMessage } from "./connection.js"
import { Misread, readControl, readMessage, readRequest } from "./frames.js"
import { FairPlaces } from "./fair_places.js"
import { CHUNK_HEADER } from "./headers.js"
import { LoopLag } from "./loop_lag.js"
import type { Outlet } from "./outlet.js"
import { ServedCall, type ServedCallHome } from "./served_call.js"
import { ServedCalls } from "./served_calls.js"
import { isOwnInbox, type CallSubject, type Subjects } from "./subjects.js"
import type { WorkerLoad } from "./worker_load.js"

/** Who a caller is: its scopes and resources, by the name that its subjects carry; undefined for a stranger. */
export type Identify = (caller: string, token?: string) => Identity | undefined | Promise<Identity | undefined>

/** What a worker lets through, and how much of it at once. */
export interface WorkerRules {
  readonly name: string
  readonly identify: Identify
  /** True where the worker serves the operation; with a digest, only where its definition has that digest. */
  readonly admits: (operationId: string, digest: string | undefined) => boolean
  /** Calls that run at once. */
  readonly concurrency: number
  /** Calls that wait for a place. */
  readonly maxQueued: number
  /** Calls of one caller that run or wait. */
  readonly maxPerCaller: number
  /** Bytes of requests that are still coming in, in parts. */
  readonly maxPartBytes: number
  readonly acceptMs: number
  readonly keepAliveMs: number
  readonly onDiscover: () => void
}

const MAX_SUBJECTS = 10_000
const RETRY_AFTER_MS = 50

/** All calls that a worker has. */
export class WorkerEnd implements ServedCallHome {
  readonly outlet: Outlet
  readonly load: WorkerLoad
  readonly #subjects: Subjects
  readonly #rules: WorkerRules
  readonly #handler: CallRequestHandler
  readonly #places: FairPlaces
  readonly #calls: ServedCalls
  readonly #callSubjects = new Map<string, CallSubject>()
  readonly #age = new CallAge()
  readonly #lag = new LoopLag()
  #count = 0
  #partBytes = 0

  constructor(subjects: Subjects, outlet: Outlet, rules: WorkerRules, load: WorkerLoad, handler: CallRequestHandler) {
    this.#subjects = subjects
    this.outlet = outlet
    this.#rules = rules
    this.#calls = new ServedCalls({
      worker: rules.name,
      acceptMs: rules.acceptMs,
      keepAliveMs: rules.keepAliveMs,
      neverWhole: (call) => refuse(call, "PROTOCOL_ERROR", "The request never came whole"),
    })
    this.load = load
    this.#handler = handler
    this.#places = new FairPlaces({ worker: rules.name, concurrency: rules.concurrency, maxQueued: rules.maxQueued })
  }

  get name(): string {
    return this.#rules.name
  }

  get keepAliveMs(): number {
    return this.#rules.keepAliveMs
  }

  /** What the server's word on lost callers comes to. */
  get lostSubject(): string {
    return this.#calls.lostSubject
  }

  get inFlight(): number {
    return this.#places.inFlight
  }

  get queued(): number {
    return this.#places.queued
  }

  /** A message of a call subject. Never throws: a throw in a callback makes the whole connection deaf for good. */
  readonly takeCall = (error: Error | null, message: NATSMessage): void => {
    if (error !== null) return this.load.refusedSubscription(error)
    try {
      this.#call(message)
    } catch {
      this.load.misread++
    }
  }

  /** A message of a control subject. Never throws. */
  readonly takeControl = (error: Error | null, message: NATSMessage): void => {
    if (error !== null) return this.load.refusedSubscription(error)
    try {
      this.#control(message)
    } catch {
      this.load.misread++
    }
  }

  /** What the server says to a keep-alive: nobody listens at the caller. Never throws. */
  readonly takeLost = (error: Error | null, message: NATSMessage): void => {
    if (error !== null) return this.load.refusedSubscription(error)
    try {
      if (message.data.length > 0 || message.headers?.code !== 503) return
      const call = this.#calls.lost(message.subject)
      call?.stop()
      call?.fail("TRANSPORT_ERROR", "The caller is lost", { kind: "lost", outcome: call.placed ? "unknown" : "not_started" })
    } catch {
      this.load.misread++
    }
  }

  left(call: ServedCall, error: CallErrorEvent | undefined): void {
    if (!this.#calls.remove(call)) return
    if (call.assembly !== undefined) this.#endParts(call)
    if (call.placed) {
      this.#places.release()
      this.load.ended(call.receivedAt, error)
    } else this.load.refused++
    this.#calls.rest()
  }

  /** Resolves when no call is open, or after so many milliseconds. */
  empty(timeoutMs: number): Promise<void> {
    return this.#calls.empty(timeoutMs)
  }

  /** Ends every open call: its caller hears that the worker has gone, its handler hears the abort. */
  loseAll(message: string): void {
    for (const call of this.#calls.all()) {
      call.fail("TRANSPORT_ERROR", message, { kind: "lost", worker: this.name, outcome: call.placed ? "unknown" : "not_started" })
      call.stop()
    }
  }

  /** Nothing comes any more. */
  stop(): void {
    this.#lag.stop()
  }

  /** The connection was lost: subscriptions have holes now, and requests in parts will never be whole. */
  disconnected(): void {
    for (const call of this.#calls.all()) {
      if (call.streams || call.assembly !== undefined) {
        call.stop()
        call.fail("TRANSPORT_ERROR", "The connection of the worker was lost", { kind: "lost", worker: this.name, outcome: "unknown" })
      }
    }
  }

  #call(message: NATSMessage): void {
    const says = this.#callSubjects.get(message.subject) ?? this.#readSubject(message.subject)
    const { reply } = message
    // Nobody can be told: an answer may go to the caller's own inbox only.
    if (says === undefined || !isOwnInbox(says.caller, reply) || this.#calls.get(reply) !== undefined) {
      this.load.misread++
      return
    }
    const now = Date.now()
    const call = new ServedCall(says.caller, reply, now, this.#count++, this)
    this.#calls.add(call)
    const part = message.headers?.get(CHUNK_HEADER) ?? ""
    if (part !== "") this.#beginParts(call, says, part, message.data)
    else this.#request(call, says, message.data, now)
  }

  #readSubject(subject: string): CallSubject | undefined {
    const says = this.#subjects.parseCall(subject)
    if (says === undefined) return undefined
    if (this.#callSubjects.size >= MAX_SUBJECTS) this.#callSubjects.clear()
    this.#callSubjects.set(subject, says)
    return says
  }

  #request(call: ServedCall, says: CallSubject, data: Uint8Array, now: number): void {
    const message = readMessage(data)
    const read = message instanceof Misread ? message : readRequest(message)
    if (read instanceof Misread) return refuse(call, "PROTOCOL_ERROR", `The request cannot be read: ${read.why}`)
    const { request, ttl, token, digest } = read
    call.requestId = request.requestId
    call.operationId = request.operationId
    if (request.operationId !== says.operationId) {
      return refuse(call, "PROTOCOL_ERROR", `The request is for "${request.operationId}", and its subject for "${says.operationId}"`)
    }
    if (request.deadline !== undefined && ttl !== undefined) {
      request.deadline = this.#age.deadlineOf(call.reply.slice(0, call.reply.lastIndexOf(".")), request.deadline, ttl, now, this.#lag.keptMs(now))
    }
    if (request.deadline !== undefined && request.deadline <= now) return this.#late(call, request.deadline)
    const { maxPerCaller, identify } = this.#rules
    if (this.#calls.countOf(call.caller) > maxPerCaller) {
      return refuse(call, "RESOURCE_EXHAUSTED", `"${request.operationId}" was refused: "${call.caller}" has ${String(maxPerCaller)} calls at the worker "${this.name}" already`, {
        limit: maxPerCaller,
        value: maxPerCaller + 1,
        retryAfterMs: RETRY_AFTER_MS,
      })
    }
    let identity: ReturnType<Identify>
    try {
      identity = identify(call.caller, token)
    } catch {
      return this.#stranger(call)
    }
    if (identity instanceof Promise) {
      identity.then(
        (known) => this.#identified(call, request, known, digest),
        () => this.#stranger(call),
      )
    } else this.#identified(call, request, identity, digest)
  }

  #identified(call: ServedCall, request: CallRequested, identity: Identity | undefined, digest: string | undefined): void {
    if (call.over) return
    if (identity === undefined) return this.#stranger(call)
    // After that, so that a stranger cannot ask which operations there are.
    if (!this.#rules.admits(request.operationId, digest)) {
      return refuse(call, "OPERATION_NOT_FOUND", `The worker "${this.name}" does not serve "${request.operationId}"${digest === undefined ? "" : " as the caller knows it"}`, { nearest: [], worker: this.name })
    }
    if (this.#places.tryAcquire()) return this.#run(call, request, identity)
    this.#places.acquire(call, request.deadline ?? Infinity).then(
      () => {
        if (call.over) this.#places.release()
        else this.#run(call, request, identity)
      },
      (thrown: unknown) => {
        if (!isCallError(thrown)) return
        const retry = thrown.code === "RESOURCE_EXHAUSTED" ? { retryAfterMs: RETRY_AFTER_MS } : {}
        call.fail(thrown.code, thrown.message, { ...thrown.details, ...retry })
      },
    )
  }

  #run(call: ServedCall, request: CallRequested, identity: Identity): void {
    call.placed = true
    try {
      this.#handler(request, { identity }, call)
    } catch {
      // The contract forbids it, and a worker that goes deaf costs more than this call.
      call.fail("EXECUTION_ERROR", `The handler of calls threw on "${request.operationId}"`, { outcome: "unknown" })
    }
  }

  #late(call: ServedCall, deadline: number): void {
    refuse(call, "TIMEOUT", `The deadline of "${call.operationId}" passed before the worker "${this.name}" began it`, { deadline })
  }

  #stranger(call: ServedCall): void {
    refuse(call, "ACCESS_DENIED", `The worker "${this.name}" does not know the caller "${call.caller}"`, { missing: { identity: true } })
  }

  #control(message: NATSMessage): void {
    const caller = this.#subjects.lastToken(message.subject)
    const part = message.headers?.get(CHUNK_HEADER) ?? ""
    if (part !== "") return this.#nextPart(caller, message, part)
    const read = readMessage(message.data)
    const control = read instanceof Misread ? read : readControl(read)
    if (control instanceof Misread) {
      this.load.misread++
      return
    }
    if (control.t === "discover") return this.#rules.onDiscover()
    const call = isOwnInbox(caller, control.reply) ? this.#calls.get(control.reply) : undefined
    if (call === undefined) return
    if (control.t === "call.credit") return call.grant(control.items)
    call.stop()
    // Only where nothing runs yet; a handler that runs ends its call itself when it hears of the abort.
    if (!call.placed) call.fail("ABORTED", `The caller stopped "${call.operationId}"`, { outcome: "not_started" })
  }

  #beginParts(call: ServedCall, says: CallSubject, header: string, data: Uint8Array): void {
    call.operationId = says.operationId
    const part = readPartHeader(header)
    if (part === undefined || part.index !== 0) return refuse(call, "PROTOCOL_ERROR", "The first part of the request has no header that can be read")
    const { maxMessageBytes } = this.outlet
    if (part.bytes > maxMessageBytes) {
      return refuse(call, "RESOURCE_EXHAUSTED", `The request of "${says.operationId}" has ${String(part.bytes)} bytes; the limit is ${String(maxMessageBytes)}`, { kind: "payload", limit: maxMessageBytes, value: part.bytes })
    }
    const limit = this.#rules.maxPartBytes
    if (this.#partBytes + part.bytes > limit) {
      return refuse(call, "RESOURCE_EXHAUSTED", `"${says.operationId}" was refused: long requests of ${String(this.#partBytes)} bytes are coming in already`, { limit, value: this.#partBytes + part.bytes, retryAfterMs: RETRY_AFTER_MS })
    }
    this.#partBytes += part.bytes
    const assembly = new Assembly(part)
    call.assembly = assembly
    assembly.add(part, data)
    call.accept()
  }

  #nextPart(caller: string, message: NATSMessage, header: string): void {
    const { reply } = message
    const call = isOwnInbox(caller, reply) ? this.#calls.get(reply) : undefined
    const assembly = call?.assembly
    if (call === undefined || assembly === undefined) return
    const now = Date.now()
    call.heardAt = now
    const part = readPartHeader(header)
    const whole = part === undefined ? "broken" : assembly.add(part, message.data)
    if (whole === "more") return
    this.#endParts(call)
    if (whole === "broken") return refuse(call, "PROTOCOL_ERROR", "The parts of the request do not follow each other")
    // The subject of the first part said what this is.
    this.#request(call, { caller, operationId: call.operationId }, whole, now)
  }

  #endParts(call: ServedCall): void {
    this.#partBytes -= call.assembly?.bytes ?? 0
    call.assembly = undefined
  }
}

function refuse(call: ServedCall, code: string, message: string, details: Record<string, unknown> = {}): void {
  call.fail(code, message, { ...details, outcome: "not_started" })
}
