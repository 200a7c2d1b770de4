/**
 * The cases of the JSON Schema test suite, as the fuzzers use them.
 *
 * In: the folder of the suite. Out: one entry for each schema with its dialect and the values that its tests try, and the map of remote
 * schemas. Nothing is said of which values are valid: the fuzzers compare roads with each other.
 */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"

const DIALECTS = { draft4: "draft-04", draft6: "draft-06", draft7: "draft-07", "draft2019-09": "2019-09", "draft2020-12": "2020-12" }

export function suiteCases(suite) {
  const cases = []
  for (const [folder, dialect] of Object.entries(DIALECTS)) {
    for (const file of jsonFiles(path.join(suite, "tests", folder))) {
      const asserted = file.includes(`${path.sep}format${path.sep}`) || file.endsWith(`${path.sep}content.json`)
      for (const { schema, tests } of JSON.parse(readFileSync(file, "utf8"))) {
        cases.push({ name: path.relative(suite, file), schema, dialect, asserted, values: tests.map(({ data }) => data) })
      }
    }
  }
  return cases
}

export function suiteRemotes(suite) {
  const base = path.join(suite, "remotes")
  return new Map(jsonFiles(base).map((file) => [`http://localhost:1234/${path.relative(base, file).split(path.sep).join("/")}`, JSON.parse(readFileSync(file, "utf8"))]))
}

function jsonFiles(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".json"))
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort()
}
