/**
 * Import time of the root door, beside the TypeBox modules that it stands on.
 *
 * Each round starts a fresh process for each of the two, in turn; printed is the median of the per-round ratios.
 */
import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { interval, median } from "./statistics.mjs"

const ROUNDS = 21
const root = fileURLToPath(new URL("../../dist/index.js", import.meta.url))
const cwd = fileURLToPath(new URL("../../", import.meta.url))
const programs = {
  typebox: `await import("@sinclair/typebox"); await import("@sinclair/typebox/value"); await import("@sinclair/typebox/compiler")`,
  "mcp-operations": `await import(${JSON.stringify(root)})`,
}

function milliseconds(program) {
  const timed = `const s = performance.now(); ${program}; process.stdout.write(String(performance.now() - s))`
  const { stdout, stderr, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", timed], { encoding: "utf8", cwd })
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}

const times = { typebox: [], "mcp-operations": [] }
for (const program of Object.values(programs)) milliseconds(program)
for (let round = 0; round < ROUNDS; round++) for (const [name, program] of Object.entries(programs)) times[name].push(milliseconds(program))
const ratios = times["mcp-operations"].map((time, round) => time / times.typebox[round])
const [low, high] = interval(ratios)
console.log(`  typebox with /value and /compiler  ${median(times.typebox).toFixed(1)} ms`)
console.log(`  mcp-operations, root door          ${median(times["mcp-operations"]).toFixed(1)} ms`)
console.log(`  ratio ${median(ratios).toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}], ${ROUNDS} rounds (target 1.15)`)
