/**
 * The differential fuzz of FromSchema.
 *
 *   node test/fuzz/run.mjs [--seconds 60] [--checks N] [--seed 1] [--dist dist] [--suite ../shared/json-schema-test-suite]
 *
 * Needs the built library and the JSON Schema test suite. Prints the counts and each disagreement with the seed that makes it again; the last
 * line is `N passed, N failed`, and the exit status is 1 where a road disagreed, 2 where it could not run.
 */
import { existsSync } from "node:fs"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { differentialFuzz } from "./differential.mjs"
import { suiteCases, suiteRemotes } from "./suite_cases.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const { values: options } = parseArgs({
  options: {
    seconds: { type: "string" },
    checks: { type: "string" },
    seed: { type: "string", default: "1" },
    dist: { type: "string", default: path.join(root, "dist") },
    suite: { type: "string", default: path.join(root, "../shared/json-schema-test-suite") },
  },
})

if (!existsSync(options.suite)) {
  console.log(`The JSON Schema test suite is not at ${options.suite}: nothing was compared.`)
  process.exit(2)
}
const library = await import(pathToFileURL(path.resolve(options.dist, "schema.js")).href)
const seconds = options.seconds === undefined && options.checks === undefined ? 60 : Number(options.seconds ?? Infinity)
const began = performance.now()
const { schemas, checks, last, disagreements } = differentialFuzz({
  library,
  typebox: { Type, Value, TypeCompiler },
  cases: suiteCases(options.suite),
  remotes: suiteRemotes(options.suite),
  seed: Number(options.seed),
  maxChecks: Number(options.checks ?? Infinity),
  until: began + seconds * 1_000,
})
for (const disagreement of disagreements) console.log(JSON.stringify(disagreement))
console.log(`${schemas} schemas, ${checks} checks on all roads, seeds ${options.seed} to ${last}, ${Math.round((performance.now() - began) / 1_000)} s`)
console.log(`${checks - disagreements.length} passed, ${disagreements.length} failed`)
process.exitCode = disagreements.length === 0 ? 0 : 1
