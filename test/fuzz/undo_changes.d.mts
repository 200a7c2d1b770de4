import type { DataChange } from "../../src/schema.js"
export function undoChanges(data: unknown, changes: readonly DataChange[]): unknown
