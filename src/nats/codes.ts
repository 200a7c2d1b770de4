/**
 * Error codes as they cross the wire.
 *
 * In: a code of this library. Out: the name that other systems on the same server understand, and back. Codes without a name there
 * cross as they are. A code that an operation declares itself crosses with `declared: true` and is never translated, so that an
 * operation's own "INTERNAL" stays what it is.
 */
import { isCallErrorCode } from "../error.js"

/** A code on the wire. */
export interface WireCode {
  readonly code: string
  readonly declared?: true
}

const TO_WIRE = new Map([
  ["TRANSPORT_ERROR", "UNAVAILABLE"],
  ["TIMEOUT", "DEADLINE_EXCEEDED"],
  ["ABORTED", "CANCELLED"],
  ["EXECUTION_ERROR", "INTERNAL"],
  ["PROTOCOL_ERROR", "FAILED_PRECONDITION"],
])

const FROM_WIRE = new Map([...Array.from(TO_WIRE, ([ours, theirs]) => [theirs, ours] as const), ["PAYLOAD_TOO_LARGE", "RESOURCE_EXHAUSTED"] as const])

/** A code for the wire. `tooLarge`: the limit that was reached is one of size. */
export function toWireCode(code: string, tooLarge = false): WireCode {
  if (tooLarge && code === "RESOURCE_EXHAUSTED") return { code: "PAYLOAD_TOO_LARGE" }
  if (!isCallErrorCode(code)) return { code, declared: true }
  return { code: TO_WIRE.get(code) ?? code }
}

/** What the services protocol of NATS calls an error's code: a number, as HTTP has them. */
export function statusOf(code: string): number {
  return STATUS.get(code) ?? 500
}

const STATUS = new Map([
  ["OPERATION_NOT_FOUND", 404],
  ["ACCESS_DENIED", 403],
  ["AUTH_REQUIRED", 401],
  ["VALIDATION_ERROR", 400],
  ["PROTOCOL_ERROR", 400],
  ["RESOURCE_EXHAUSTED", 429],
  ["TRANSPORT_ERROR", 503],
  ["TIMEOUT", 504],
])

/** The code that a wire code stands for. */
export function fromWireCode({ code, declared }: { readonly code: string; readonly declared?: unknown }): string {
  return declared === true ? code : (FROM_WIRE.get(code) ?? code)
}
