/**
 * What the exit code of the program says.
 *
 * The table is part of the surface: scripts decide by it.
 */
import type { CallError } from "../error.js"

/** 0: an answer; 1: an answer that is a tool's own error; 2: the command line, config or input is wrong; 3: no answer. */
export const EXIT = { ok: 0, toolError: 1, usage: 2, noAnswer: 3 } as const

const USAGE_CODES: readonly string[] = ["CONFIGURATION_ERROR", "VALIDATION_ERROR", "OPERATION_NOT_FOUND"]

/** The exit code for a command that ended with an error. */
export function exitCodeOf(error: CallError): number {
  return USAGE_CODES.includes(error.code) ? EXIT.usage : EXIT.noAnswer
}
