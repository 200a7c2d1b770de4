/**
 * The cases of the JSON Schema test suite, in one list.
 *
 * In: the folder of the suite. Out: one entry for each schema with its dialect, what it asserts and its tests, and the map of remote
 * schemas.
 */
import { readdirSync, readFileSync } from "node:fs"
import path from "node:path"

const DIALECTS = { draft4: "draft-04", draft6: "draft-06", draft7: "draft-07", "draft2019-09": "2019-09", "draft2020-12": "2020-12" }

export function suiteCases(suite) {
  const cases = []
  for (const [folder, dialect] of Object.entries(DIALECTS)) {
    for (const file of jsonFiles(path.join(suite, "tests", folder))) {
      // What the suite's README says of the two: both are annotations unless an implementation is told otherwise.
      const format = file.includes(path.join("optional", "format") + path.sep) ? "assert" : "annotate"
      const content = file.endsWith(path.join("optional", "content.json")) ? "assert" : "annotate"
      for (const { schema, tests } of JSON.parse(readFileSync(file, "utf8"))) cases.push({ name: path.relative(suite, file), schema, tests, dialect, format, content })
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
