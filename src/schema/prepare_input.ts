/**
 * Makes the input of a call ready to be sent, as far as its caller asked for that.
 *
 * In: the input schema, the input, and two options that are both off unless given. Out: the input to send, the same reference
 * where nothing was done. Does not say whether the result fits: that is the check which follows.
 */
import type { TSchema } from "@sinclair/typebox"
import { isWalkable } from "./conform/depth.js"
import { fillValue } from "./conform/fill_value.js"
import { sourceDocumentOf } from "./conform/source.js"

/** What may be done to an input before it is checked. */
export interface PrepareInputOptions {
  /** Adds each missing member for which the schema states a default that it accepts itself. Default false. */
  readonly defaults?: boolean | undefined
  /**
   * Reads a scalar that does not fit as the kind that fits: `"5"` as 5, `"true"` as true, 5 as `"5"`. Never a number whose
   * digits would change. Default false.
   */
  readonly coerce?: boolean | undefined
}

/** The input to send: the same reference unless an option asks for a change that the input needs. Never throws. */
export function prepareInput(schema: TSchema, input: unknown, options: PrepareInputOptions = {}): unknown {
  if ((options.defaults !== true && options.coerce !== true) || !isWalkable(input)) return input
  try {
    return fillValue(sourceDocumentOf(schema), input, {
      defaults: options.defaults === true ? "all" : "none",
      coerce: options.coerce === true,
    }).data
  } catch {
    // The caller's stack was nearly used up already: the check that follows says so.
    return input
  }
}
