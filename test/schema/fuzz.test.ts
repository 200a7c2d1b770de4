import { join } from "node:path"
import { expect, test } from "vitest"
import { Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { collectErrors, compile, FromSchema } from "../../src/schema.js"
import { sharedDir } from "../fixtures/shared.js"
import { differentialFuzz } from "../fuzz/differential.mjs"
import { suiteCases, suiteRemotes } from "../fuzz/suite_cases.mjs"

const shared = sharedDir()

test.skipIf(shared === undefined)("12,000 values of a fuzzer find no two roads that disagree (skipped without the shared test data)", () => {
  const suite = join(shared ?? "", "json-schema-test-suite")
  const { checks, disagreements } = differentialFuzz({
    library: { FromSchema, compile, collectErrors },
    typebox: { Type, Value, TypeCompiler },
    cases: suiteCases(suite),
    remotes: suiteRemotes(suite),
    seed: 20_261_130,
    maxChecks: 12_000,
  })
  expect(disagreements).toEqual([])
  expect(checks).toBeGreaterThanOrEqual(12_000)
}, 180_000)
