import { join } from "node:path"
import { describe, expect, test } from "vitest"
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { collectErrors, compile, FromSchema } from "../../src/schema.js"
import { sharedDir } from "../fixtures/shared.js"
import { suiteCases, suiteRemotes } from "../fuzz/suite_cases.mjs"

const shared = sharedDir()
const suite = shared === undefined ? undefined : join(shared, "json-schema-test-suite")

/** JSON.parse makes 1.0 and 1 the same number, so nobody can tell that one of them is no integer of draft-04. */
const CANNOT_BE_TOLD = "a float is not an integer even without fractional part"

describe.skipIf(suite === undefined)("the JSON Schema test suite (skipped without the shared test data)", () => {
  const cases = suite === undefined ? [] : suiteCases(suite)
  const remotes = suite === undefined ? new Map<string, unknown>() : suiteRemotes(suite)

  test.each(["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"] as const)("every road answers every test of %s as the suite says", (dialect) => {
    const wrong: string[] = []
    let asked = 0
    for (const { name, schema, tests, format, content } of cases.filter((one) => one.dialect === dialect)) {
      const roads = roadsTo(FromSchema(schema, { dialect, remotes, format, content }))
      for (const { description, data, valid } of tests) {
        if (description === CANNOT_BE_TOLD) continue
        asked++
        const answers = roads(data)
        if (answers.some((answer) => answer !== valid)) wrong.push(`${name}: ${description}: ${String(answers)}`)
      }
    }
    expect(wrong).toEqual([])
    expect(asked).toBeGreaterThan(900)
  })
})

function roadsTo(schema: TSchema): (value: unknown) => boolean[] {
  const compiled = TypeCompiler.Compile(schema)
  const own = compile(schema)
  return (value) => [
    Value.Check(schema, value),
    compiled.Check(value),
    Value.Errors(schema, value).First() === undefined,
    own(value),
    collectErrors(schema, value).length === 0,
  ]
}
