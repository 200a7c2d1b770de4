/**
 * Every fault, over every way to a server, alone and among 64 calls: `npm run faults [-- --only <part of a name> --way stdio|http|sse]`.
 *
 * Out: the matrix, and each expectation that was not met. Leaves with 1 when there was one. Two processes, one for
 * stdio, share the work: most of a cell is waiting, and what is left over is counted in its own process.
 */
import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { CallError } from "../../dist/index.js"
import { createMCPClient } from "../../dist/from_mcp.js"
import { runCell } from "./cell.mjs"
import { FAULTS } from "./faults.mjs"

const WAYS = [["stdio"], ["http", "sse"]]
const { values } = parseArgs({ options: { only: { type: "string", default: "" }, way: { type: "string" } } })
process.exitCode = values.way === undefined ? await allWays() : await ways(values.way.split(","))

/** The rows of several ways, one after the other. */
async function ways(list) {
  let code = 0
  for (const way of list) code = Math.max(code, await oneWay(way))
  return code
}

/** Runs the ways side by side; what each one prints is printed when it is done. */
async function allWays() {
  const codes = await Promise.all(
    WAYS.map(async (way) => {
      const child = spawn(process.execPath, [fileURLToPath(import.meta.url), "--way", way.join(), "--only", values.only], { stdio: ["ignore", "pipe", "inherit"] })
      let output = ""
      child.stdout.setEncoding("utf8").on("data", (text) => (output += text))
      const code = await new Promise((resolve) => child.once("close", resolve))
      console.log(output)
      return code
    }),
  )
  return codes.every((code) => code === 0) ? 0 : 1
}

async function oneWay(way) {
  const folder = mkdtempSync(join(tmpdir(), "mcp-operations-faults-"))
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }))
  const since = performance.now()
  let cells = 0
  const violated = []
  const rows = FAULTS.filter(({ name, over }) => name.includes(values.only) && over[way] !== undefined)
  for (const row of rows) {
    for (const count of row.lone === true ? [1] : [1, 64]) {
      const { faults, ends, worstMs } = await runCell({ createMCPClient, CallError }, row, way, count, folder)
      cells++
      const verdict = faults.length === 0 ? "held" : "VIOLATED"
      console.log(`${way.padEnd(5)} x ${String(count).padEnd(2)}  ${row.name.padEnd(46)} ${verdict.padEnd(8)} ${String(Math.round(worstMs)).padStart(5)} ms  ${ends}`)
      for (const { text } of faults.slice(0, 5)) console.log(`      - ${text}`)
      if (faults.length > 5) console.log(`      - and ${faults.length - 5} more`)
      if (faults.length > 0) violated.push(`${row.name} x ${count}`)
    }
  }
  console.log(`${way}: ${cells} cells in ${((performance.now() - since) / 1_000).toFixed(0)} s, ${violated.length} violated${violated.map((cell) => `\n  ${cell}`).join("")}`)
  return violated.length === 0 && (cells > 0 || values.only !== "") ? 0 : 1
}
