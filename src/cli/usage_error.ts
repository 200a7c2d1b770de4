/**
 * The error of a command line that cannot be followed: exit code 2, and always with what to do instead.
 */
import { CallError } from "../error.js"

/** A CONFIGURATION_ERROR with its remedy. */
export function usageError(message: string, remedy: string, details: Record<string, unknown> = {}): CallError {
  return new CallError("CONFIGURATION_ERROR", message, { details: { ...details, remedy } })
}
