import type { createMCPClient } from "../../src/from_mcp.js"
import type { CallError } from "../../src/error.js"
import type { FaultRow, Way } from "./faults.mjs"

/** What came of one cell. */
export interface CellResult {
  readonly faults: readonly { readonly text: string; readonly isLate: boolean }[]
  readonly ends: string
  readonly worstMs: number
}

export declare function runCell(
  library: { createMCPClient: typeof createMCPClient; CallError: typeof CallError },
  row: FaultRow,
  way: Way,
  count: 1 | 64,
  folder: string,
): Promise<CellResult>
