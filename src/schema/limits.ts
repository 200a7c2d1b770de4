/**
 * How large a schema, and how deep a value, may be before a part of it counts as unknown.
 *
 * Numbers only. Strangers write both, and recursion on both sides has one stack.
 */

/** Limits of a conversion and of the checks made from it. */
export interface SchemaLimits {
  /** Levels of subschemas below the root; default 256. */
  readonly depth?: number | undefined
  /** Subschemas of a document and of what it refers to; default 50,000. */
  readonly nodes?: number | undefined
  /** Levels of objects and arrays in a value that is checked; deeper values do not fit. Default 512. */
  readonly valueDepth?: number | undefined
}

/** The limits with each default in its place. */
export interface FullLimits {
  readonly depth: number
  readonly nodes: number
  readonly valueDepth: number
}

/** The limits that hold where nothing else was said. */
const DEFAULT_LIMITS: FullLimits = { depth: 256, nodes: 50_000, valueDepth: 512 }

/** Levels of any JSON inside a schema (defaults, examples and unknown keywords too). */
export const MAX_RAW_DEPTH = 1_024

/** Values of any JSON inside a schema. */
export const MAX_RAW_VALUES = 500_000

/** Puts the defaults where a limit was not given. */
export function fullLimits(limits: SchemaLimits | undefined): FullLimits {
  return {
    depth: limits?.depth ?? DEFAULT_LIMITS.depth,
    nodes: limits?.nodes ?? DEFAULT_LIMITS.nodes,
    valueDepth: limits?.valueDepth ?? DEFAULT_LIMITS.valueDepth,
  }
}
