/**
 * Runs the benches one after the other, each in a process of its own: `npm run bench`, or `npm run bench -- call conform` for some.
 */
import { spawnSync } from "node:child_process"
import { cpus } from "node:os"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

const BENCHES = ["import", "schema", "conform", "call", "from_mcp", "nats"]
const wanted = process.argv.slice(2).filter((name) => !name.startsWith("-"))
const unknown = wanted.filter((name) => !BENCHES.includes(name))
if (unknown.length > 0) {
  console.error(`no bench is called ${unknown.join(", ")}; there are ${BENCHES.join(", ")}`)
  process.exit(2)
}
if (!existsSync(new URL("../../dist/index.js", import.meta.url))) {
  console.error("dist is missing: run `npm run build` first")
  process.exit(2)
}
console.log(`Node ${process.version}, ${cpus().length} cores, ${cpus()[0]?.model ?? "unknown processor"}`)
let failed = 0
for (const name of wanted.length > 0 ? wanted : BENCHES) {
  console.log(`\n## ${name}`)
  const { status } = spawnSync(process.execPath, ["--expose-gc", fileURLToPath(new URL(`${name}.mjs`, import.meta.url))], { stdio: "inherit" })
  if (status !== 0) failed++
}
process.exit(failed === 0 ? 0 : 1)
