/**
 * Door of the errors: one class, one table of codes, and the ways in and out of it.
 *
 * Imports nothing: every other room may use it.
 */
export { CALL_ERROR_CODES, isCallErrorCode, type CallErrorCode, type Outcome } from "./error/codes.js"
export { CallError, callErrorFromJSON, callErrorToJSON, isCallError, type CallErrorJSON, type CallErrorOptions } from "./error/call_error.js"
export { mapError, toCallError } from "./error/map_error.js"
