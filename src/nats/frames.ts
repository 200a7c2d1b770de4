/**
 * Messages of the protocol as bytes: what a caller and a worker write to each other.
 *
 * In: events. Out: their JSON, and back. A message that is none, or of another version, is a Misread and never an exception: it comes
 * from somebody who may write anything.
 */
import { Buffer } from "node:buffer"
import type { CallAnswer, CallRequested } from "../call.js"
import { isObject } from "../schema.js"
import { fromWireCode, toWireCode } from "./codes.js"

/** Tells that a call is known to a worker; by what a worker says of itself its control subject is known. */
export interface CallAccepted {
  readonly type: "call.accepted"
  readonly worker: string
  /** How often the worker will say that the call is still there, in milliseconds. */
  readonly everyMs?: number
  /** The worker waits for room: the call is a subscription. */
  readonly room?: true
}

/** What comes to a caller's inbox. */
export type Frame = CallAnswer | CallAccepted | { readonly type: "call.keepalive" }

/** A request as it stands in a message. */
export interface WireRequest {
  readonly request: CallRequested
  /** Milliseconds that the caller gave the call when it sent it. */
  readonly ttl: number | undefined
  readonly token: string | undefined
  readonly digest: string | undefined
}

/** What a caller tells a worker about an open call. `reply` is the subject that its answers go to. */
export type Control =
  | { readonly t: "call.aborted"; readonly reply: string }
  | { readonly t: "call.credit"; readonly reply: string; readonly items: number }
  | { readonly t: "discover" }

/** What could not be read, and why. */
export class Misread {
  constructor(readonly why: string) {}
}

/** The JSON of a message; a Misread where it is none, no object, or of another version. */
export function readMessage(bytes: Uint8Array): Record<string, unknown> | Misread {
  let value: unknown
  try {
    value = JSON.parse(textOf(bytes))
  } catch {
    return new Misread("it is no JSON")
  }
  if (!isObject(value)) return new Misread("it is no object")
  // A newer protocol may mean something else by the same members.
  if (value["v"] !== 1) return new Misread("its version is not 1")
  return value
}

/** A request as JSON. `now` is epoch milliseconds. */
export function writeRequest(request: CallRequested, now: number, token: string | undefined, digest: string | undefined): string {
  const { requestId, operationId, input, parentRequestId, deadline, idleTimeoutMs, traceparent, metadata } = request
  // Members that are undefined are not written. The identity is not sent: a worker knows it by the subject.
  return JSON.stringify({
    v: 1,
    t: "call.requested",
    requestId,
    operationId,
    input,
    parentRequestId,
    deadline,
    ttl: deadline === undefined ? undefined : deadline - now,
    idleTimeoutMs,
    traceparent,
    metadata,
    token,
    digest,
  })
}

/** A request out of its message. */
export function readRequest(message: Record<string, unknown>): WireRequest | Misread {
  const { t, requestId, operationId, input, parentRequestId, deadline, ttl, idleTimeoutMs, traceparent, metadata, token, digest } = message
  if (t !== "call.requested") return new Misread("it is no request")
  if (typeof requestId !== "string" || typeof operationId !== "string") return new Misread("requestId and operationId must be texts")
  const request: CallRequested = { type: "call.requested", requestId, operationId, input: input === undefined ? null : input }
  const wrong = (name: string) => new Misread(`${name} is of another type`)
  if (deadline !== undefined) {
    if (typeof deadline !== "number" || (ttl !== undefined && typeof ttl !== "number")) return wrong("deadline or ttl")
    request.deadline = deadline
  }
  if (parentRequestId !== undefined) {
    if (typeof parentRequestId !== "string") return wrong("parentRequestId")
    request.parentRequestId = parentRequestId
  }
  if (idleTimeoutMs !== undefined) {
    if (typeof idleTimeoutMs !== "number") return wrong("idleTimeoutMs")
    request.idleTimeoutMs = idleTimeoutMs
  }
  if (traceparent !== undefined) {
    if (typeof traceparent !== "string") return wrong("traceparent")
    request.traceparent = traceparent
  }
  if (metadata !== undefined) {
    if (!isObject(metadata)) return wrong("metadata")
    request.metadata = metadata
  }
  return { request, ttl: typeof ttl === "number" ? ttl : undefined, token: textOrNothing(token), digest: textOrNothing(digest) }
}

/** An answer of a worker as JSON. @throws TypeError where its output has no JSON */
export function writeAnswer(event: CallAnswer, worker: string): string {
  const { type: t, requestId } = event
  switch (event.type) {
    case "call.responded":
      return JSON.stringify({ v: 1, t, requestId, output: event.output, seq: event.seq, worker })
    case "call.progress":
      return JSON.stringify({ v: 1, t, requestId, progress: event.progress, total: event.total, message: event.message })
    case "call.completed":
      return JSON.stringify({ v: 1, t, requestId, worker })
    case "call.error": {
      const { code, declared } = toWireCode(event.code, event.details?.["kind"] === "payload")
      return JSON.stringify({ v: 1, t, requestId, code, declared, message: event.message, details: event.details, worker })
    }
  }
}

/** The frame that says which worker has the call. */
export function writeAccepted(worker: string, everyMs: number, room?: true): string {
  return JSON.stringify({ v: 1, t: "call.accepted", worker, everyMs, room })
}

/** The frame that says that a call is still there. */
export const KEEP_ALIVE = JSON.stringify({ v: 1, t: "call.keepalive" })

/** A frame out of its message. */
export function readFrame(message: Record<string, unknown>): Frame | Misread {
  const { t, requestId, worker, output, seq, progress, total, code, declared, details } = message
  const text = message["message"]
  if (t === "call.keepalive") return { type: t }
  if (t === "call.accepted") {
    if (typeof worker !== "string") return new Misread("it names no worker")
    const { room, everyMs } = message
    return { type: t, worker, ...(room === true ? { room } : {}), ...(typeof everyMs === "number" ? { everyMs } : {}) }
  }
  if (typeof requestId !== "string") return new Misread("it names no request")
  switch (t) {
    case "call.responded":
      if (output === undefined || (seq !== undefined && typeof seq !== "number")) return new Misread("it has no output, or its seq is no number")
      return seq === undefined ? { type: t, requestId, output } : { type: t, requestId, output, seq }
    case "call.progress":
      if (typeof progress !== "number") return new Misread("its progress is no number")
      return { type: t, requestId, progress, ...(typeof total === "number" ? { total } : {}), ...(typeof text === "string" ? { message: text } : {}) }
    case "call.completed":
      return { type: t, requestId }
    case "call.error":
      if (typeof code !== "string") return new Misread("its code is no text")
      return {
        type: t,
        requestId,
        code: fromWireCode({ code, declared }),
        message: typeof text === "string" ? text : "The error arrived without a message",
        ...(isObject(details) ? { details } : {}),
      }
    default:
      return new Misread("its kind is unknown")
  }
}

/** A control message as JSON. */
export function writeControl(control: Control): string {
  return JSON.stringify({ v: 1, ...control })
}

/** A control message out of its message. */
export function readControl({ t, reply, items }: Record<string, unknown>): Control | Misread {
  if (t === "discover") return { t }
  if (typeof reply !== "string") return new Misread("it names no call")
  if (t === "call.aborted") return { t, reply }
  if (t === "call.credit" && typeof items === "number" && Number.isSafeInteger(items) && items > 0) return { t, reply, items }
  return new Misread("its kind is unknown")
}

/** Bytes as text. */
function textOf(bytes: Uint8Array): string {
  // A view, and no copy: Node's own decoding is several times as quick as TextDecoder on short texts.
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8")
}

function textOrNothing(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined
}
