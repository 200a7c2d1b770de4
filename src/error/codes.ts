/**
 * The closed table of error codes: what each of them says to a caller.
 *
 * Declared errors of an operation keep a code of their own beside these, so `CallError.code` is wider than this table.
 * Codes are chosen by class and code of the cause, never by reading a message: messages are for people and change.
 */

/** Every code that this library gives an error itself, with the situation it stands for. */
export const CALL_ERROR_CODES = {
  OPERATION_NOT_FOUND: "no such operation",
  ACCESS_DENIED: "the identity lacks what the operation requires",
  VALIDATION_ERROR: "the input does not fit the input schema; nothing was sent",
  TIMEOUT: "the deadline passed",
  ABORTED: "the caller stopped the call",
  TRANSPORT_ERROR: "the connection could not be made or was lost",
  AUTH_REQUIRED: "the server wants credentials, or refuses the ones it got",
  PROTOCOL_ERROR: "the server answered with an error or with something malformed",
  RESOURCE_EXHAUSTED: "a limit on calls, queue or size was reached",
  CONFIGURATION_ERROR: "a config file, variable, option, package or name is wrong",
  SCHEMA_ERROR: "a schema cannot be converted within the rules that were asked for",
  EXECUTION_ERROR: "a local handler threw an error",
  UNKNOWN_ERROR: "something that is no error was thrown",
} as const

/** A code of the closed table; see `CALL_ERROR_CODES`. */
export type CallErrorCode = keyof typeof CALL_ERROR_CODES

/**
 * What is known of the work behind a failed call: `"not_started"` (safe to try again), `"failed"` (it was refused),
 * `"unknown"` (it may have run).
 */
export type Outcome = "not_started" | "failed" | "unknown"

/** True for a code of the closed table; false for a declared code of an operation, and for names of Object.prototype. */
export function isCallErrorCode(code: string): code is CallErrorCode {
  return Object.hasOwn(CALL_ERROR_CODES, code)
}
