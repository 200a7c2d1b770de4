/**
 * Checks the reports of `conform` on values that do not fit schemas of recorded servers and of the JSON Schema test suite.
 *
 *   node test/fuzz/report.mjs [--values 100000] [--seed 1] [--dist dist] [--shared ../shared]
 *
 * Needs the built library and the shared test data. Half of the values are for the output schemas of servers, a quarter for their
 * input schemas, a quarter for the suite. Prints the counts; what was broken is printed with its seed and the exit status is 1.
 */
import { existsSync } from "node:fs"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { Value } from "@sinclair/typebox/value"
import { corpusCases } from "./corpus_cases.mjs"
import { reportFuzz } from "./report_fuzz.mjs"
import { suiteCases, suiteRemotes } from "./suite_cases.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const { values: options } = parseArgs({
  options: {
    values: { type: "string", default: "100000" },
    seed: { type: "string", default: "1" },
    dist: { type: "string", default: path.join(root, "dist") },
    shared: { type: "string", default: path.join(root, "../shared") },
  },
})
if (!existsSync(options.shared)) {
  console.log(`The shared test data is not at ${options.shared}: nothing was checked.`)
  process.exit(2)
}
const library = await import(pathToFileURL(path.resolve(options.dist, "schema.js")).href)
const [corpus, suite] = [path.join(options.shared, "corpus"), path.join(options.shared, "json-schema-test-suite")]
const runs = [
  { name: "output schemas of servers", cases: corpusCases(corpus), share: 0.5 },
  { name: "input schemas of servers", cases: corpusCases(corpus, ["inputSchema"]), share: 0.25 },
  { name: "JSON Schema test suite", cases: suiteCases(suite), remotes: suiteRemotes(suite), share: 0.25 },
]
let [passed, failed] = [0, 0]
for (const { name, cases, remotes, share } of runs) {
  const { counts, broken } = reportFuzz({ library, typebox: { Value }, cases, remotes, seed: Number(options.seed), values: Math.round(Number(options.values) * share) })
  for (const one of broken) console.log(JSON.stringify(one))
  console.log(`${name}: ${cases.length} schemas, ${counts.invalid} values that do not fit (${counts.cast} cast, ${counts.repair} repaired), ${counts.fitting} that do`)
  passed += counts.invalid + counts.fitting - broken.length
  failed += broken.length
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
