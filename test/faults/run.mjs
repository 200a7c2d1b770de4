/**
 * Every fault, over every way to a server, alone and among 64 calls: `npm run faults [-- part of a fault's name]`.
 *
 * Out: the matrix, and each expectation that was not met. Leaves with 1 when there was one.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { CallError } from "../../dist/index.js"
import { createMCPClient } from "../../dist/from_mcp.js"
import { runCell } from "./cell.mjs"
import { FAULTS } from "./faults.mjs"

const wanted = process.argv[2] ?? ""
const folder = mkdtempSync(join(tmpdir(), "mcp-operations-faults-"))
process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
const since = performance.now()
let cells = 0
const violated = []

for (const row of FAULTS.filter(({ name }) => name.includes(wanted))) {
  console.log(row.name)
  for (const way of Object.keys(row.over)) {
    for (const count of row.lone === true ? [1] : [1, 64]) {
      const { faults, ends, worstMs } = await runCell({ createMCPClient, CallError }, row, way, count, folder)
      cells++
      console.log(`  ${way.padEnd(5)} x ${String(count).padEnd(2)}  ${faults.length === 0 ? "held    " : "VIOLATED"}  ${String(Math.round(worstMs)).padStart(5)} ms  ${ends}`)
      for (const { text } of faults.slice(0, 5)) console.log(`      - ${text}`)
      if (faults.length > 5) console.log(`      - and ${faults.length - 5} more`)
      if (faults.length > 0) violated.push(`${row.name}, ${way} x ${count}`)
    }
  }
}

console.log(`\n${cells} cells in ${((performance.now() - since) / 1_000).toFixed(0)} s, ${violated.length} violated`)
for (const cell of violated) console.log(`  ${cell}`)
process.exitCode = violated.length === 0 && cells > 0 ? 0 : 1
