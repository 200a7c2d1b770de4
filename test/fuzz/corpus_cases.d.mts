import type { ReportCase } from "./report_fuzz.mjs"
export function corpusCases(folder: string, members?: readonly ("inputSchema" | "outputSchema")[]): ReportCase[]
