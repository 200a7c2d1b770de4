/**
 * The one error class of the library.
 *
 * In: a code, a message for people, details for programs, the cause. Out: an Error that `instanceof` recognises also when
 * two copies of the package are loaded (a brand instead of the prototype chain).
 * Knows no transport and no schema. Whoever makes one keeps secrets and argument values out of message and details.
 */
import type { CallErrorCode } from "./codes.js"

const BRAND = Symbol.for("mcp-operations.CallError")

/** What a `CallError` is made of beside code and message. */
export interface CallErrorOptions {
  /** Facts for programs; which members stand there for which code is listed in docs/architecture/call-protocol.md. */
  readonly details?: Record<string, unknown> | undefined
  /** What led to this error. It stays in this process: the wire form leaves it out. */
  readonly cause?: unknown
}

/**
 * The error a call rejects with when there is no result: `code` says which kind, `details` holds the facts.
 *
 * A tool that answers `isError: true` has a result, so it never becomes a `CallError`.
 * `code` is one of `CALL_ERROR_CODES`, or a code that the operation declares in its `errorSchemas`.
 */
export class CallError extends Error {
  readonly code: CallErrorCode | (string & {})
  readonly details: Record<string, unknown>

  constructor(code: CallErrorCode | (string & {}), message: string, options: CallErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.name = "CallError"
    this.code = code
    this.details = options.details ?? {}
    Object.defineProperty(this, BRAND, { value: true })
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    return isCallError(value)
  }

  /** The wire form: code, message and details, without cause and stack. */
  toJSON(): CallErrorJSON {
    return callErrorToJSON(this)
  }
}

/** A `CallError` as plain JSON: what crosses a wire or is printed. */
export interface CallErrorJSON {
  code: string
  message: string
  details?: Record<string, unknown>
}

/** True for a `CallError` of this or of any other loaded copy of the package. */
export function isCallError(value: unknown): value is CallError {
  return typeof value === "object" && value !== null && (value as { [BRAND]?: unknown })[BRAND] === true
}

/** The wire form of an error: code, message and details; `details` is left out when it is empty. */
export function callErrorToJSON(error: CallError): CallErrorJSON {
  const json: CallErrorJSON = { code: error.code, message: error.message }
  if (Object.keys(error.details).length > 0) json.details = error.details
  return json
}

/** The error a wire form stands for. Members of a wrong type are replaced by what says so, never thrown about. */
export function callErrorFromJSON(json: unknown): CallError {
  const { code, message, details } = isRecord(json) ? json : {}
  return new CallError(
    typeof code === "string" ? code : "UNKNOWN_ERROR",
    typeof message === "string" ? message : "The error arrived without a message",
    { details: isRecord(details) ? details : undefined },
  )
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}
