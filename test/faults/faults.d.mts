/** A way to a server. */
export type Way = "stdio" | "http" | "sse"

/** One fault of the matrix, as far as its tests ask. */
export interface FaultRow {
  readonly name: string
  readonly over: Partial<Record<Way, unknown>>
}

export declare const FAULTS: readonly FaultRow[]
