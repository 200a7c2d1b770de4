/**
 * Random values that do not fit, for schemas of real servers and of the JSON Schema test suite.
 *
 * In: the library under test, cases, how many values. Out: how many values did not fit, how each policy ended, and what was
 * broken. Values that fit are tried too, and not counted.
 */
import { checkReport, POLICIES } from "./check_report.mjs"
import { randomSource } from "./random.mjs"
import { anyValue, mutated, valueFor } from "./schema_value.mjs"

export function reportFuzz({ library, typebox, cases, remotes, seed, values }) {
  const counts = { invalid: 0, fitting: 0, ...Object.fromEntries(POLICIES.map((policy) => [policy, 0])) }
  const broken = []
  const converted = cases.map(({ schema, dialect, asserted }) => {
    const assert = asserted ? "assert" : "annotate"
    return library.FromSchema(schema, { dialect, format: assert, content: assert, remotes })
  })
  for (let at = seed; counts.invalid < values; at++) {
    const random = randomSource(at)
    const index = random.below(cases.length)
    const { name, schema, values: known = [], isFitting } = cases[index]
    const start = known.length > 0 && random.chance(0.3) ? random.pick(known) : random.chance(0.1) ? anyValue(random) : valueFor(random, schema)
    let value = start
    for (let times = random.below(3); times > 0; times--) value = mutated(random, value)
    const why = checkReport(library, typebox, converted[index], value, isFitting)
    if (why !== undefined && broken.push({ seed: at, name, why, value }) >= 20) break
    if (library.compile(converted[index])(value)) counts.fitting++
    else {
      counts.invalid++
      for (const policy of POLICIES) if (library.conform(converted[index], value, policy).conformance === "cast") counts[policy]++
    }
  }
  return { counts, broken }
}
