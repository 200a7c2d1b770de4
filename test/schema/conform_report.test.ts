/**
 * The reports of `conform` on schemas of recorded servers and of the JSON Schema test suite, with random values: nothing is thrown,
 * nothing claims to fit that does not (Ajv has a say in it for servers' schemas), and the changes are whole.
 * `node test/fuzz/report.mjs --values 100000` runs the same on the built library.
 */
import path from "node:path"
import { Value } from "@sinclair/typebox/value"
import { expect, test } from "vitest"
import { collectErrors, compile, conform, FromSchema } from "../../src/schema.js"
import { sharedDir } from "../fixtures/shared.js"
import { corpusCases } from "../fuzz/corpus_cases.mjs"
import { reportFuzz, type ReportCase } from "../fuzz/report_fuzz.mjs"
import { suiteCases, suiteRemotes } from "../fuzz/suite_cases.mjs"

const shared = sharedDir()
const without = shared === undefined ? " (skipped: there is no folder `shared` beside the checkout)" : ""
const library = { collectErrors, compile, conform, FromSchema }

function expectWhole(cases: readonly ReportCase[], values: number, remotes?: ReadonlyMap<string, unknown>): void {
  const { counts, broken } = reportFuzz({ library, typebox: { Value }, cases, seed: 1, values, ...(remotes === undefined ? {} : { remotes }) })
  expect(broken).toStrictEqual([])
  expect(counts.invalid).toBe(values)
  // A walk that gives up everywhere would claim nothing wrong either.
  expect(counts.cast).toBeGreaterThan(values / 100)
}

test.skipIf(shared === undefined)(`values that do not fit the output schemas of servers${without}`, { timeout: 180_000 }, () => {
  expectWhole(corpusCases(path.join(shared ?? "", "corpus")), 600)
})

test.skipIf(shared === undefined)(`values that do not fit schemas of the JSON Schema test suite${without}`, { timeout: 180_000 }, () => {
  const suite = path.join(shared ?? "", "json-schema-test-suite")
  expectWhole(suiteCases(suite), 300, suiteRemotes(suite))
})
