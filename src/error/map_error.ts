/**
 * Turns whatever was thrown into a `CallError`.
 *
 * In: a thrown value, and the codes an operation declares. Out: a `CallError`, the thrown value as its cause.
 * Decides by brand and `code` property alone: the text of a message says nothing reliable about its kind.
 */
import { CallError, isCallError } from "./call_error.js"
import { isCallErrorCode } from "./codes.js"

/** A `CallError` for anything thrown: one passes as it is, an Error becomes EXECUTION_ERROR, anything else UNKNOWN_ERROR. */
export function toCallError(thrown: unknown): CallError {
  if (isCallError(thrown)) return thrown
  if (thrown instanceof Error) return new CallError("EXECUTION_ERROR", messageOf(thrown), { cause: thrown })
  return new CallError("UNKNOWN_ERROR", "Something was thrown that is no Error", {
    details: { raw: textOf(thrown) },
    cause: thrown,
  })
}

/**
 * As `toCallError`, but an error whose own `code` property is one that the operation declares keeps that code, and its
 * `details` (or `data`) object.
 *
 * A code of the library's own table is never taken from a foreign error: a handler that throws `{ code: "TIMEOUT" }`
 * has not timed out.
 */
export function mapError(thrown: unknown, declared: readonly string[] = []): CallError {
  if (isCallError(thrown)) return thrown
  const code = ownText(thrown, "code")
  if (code === undefined || isCallErrorCode(code) || !declared.includes(code)) return toCallError(thrown)
  return new CallError(code, ownText(thrown, "message") ?? code, { details: detailsOf(thrown), cause: thrown })
}

function messageOf(error: Error): string {
  return typeof error.message === "string" && error.message !== "" ? error.message : "The handler threw an error without a message"
}

function ownText(value: unknown, key: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined
  const member: unknown = Reflect.get(value, key)
  return typeof member === "string" ? member : undefined
}

function detailsOf(value: unknown): Record<string, unknown> | undefined {
  if (typeof value !== "object" || value === null) return undefined
  for (const key of ["details", "data"]) {
    const member: unknown = Reflect.get(value, key)
    // The check before is what makes it a record.
    if (typeof member === "object" && member !== null && !Array.isArray(member)) return member as Record<string, unknown>
  }
  return undefined
}

function textOf(value: unknown): string {
  try {
    return String(value).slice(0, 1_000)
  } catch {
    return Object.prototype.toString.call(value)
  }
}
