/**
 * Compares every road of converted schemas with every other, on the schemas of the test suite, bare, wrapped and combined, with the suite's
 * values and changed ones.
 *
 * In: the library, TypeBox, cases, a seed, and when to stop. Out: how many schemas and checks there were, and each disagreement with
 * the seed that makes it again. A check is one value on all roads.
 */
import { randomSource } from "./random.mjs"
import { roadsOf } from "./roads.mjs"
import { anyValue, mutated, valueFor } from "./schema_value.mjs"
import { wrapSchema } from "./wrap_schema.mjs"

const VALUES_A_SCHEMA = 24
const MAX_TOLD = 20

export function differentialFuzz({ library, typebox, cases, remotes, seed, maxChecks = Infinity, until = Infinity }) {
  const result = { schemas: 0, checks: 0, last: seed, disagreements: [] }
  for (let at = seed; result.checks < maxChecks && performance.now() < until; at++) {
    const random = randomSource(at)
    const [first, second] = [random.pick(cases), random.pick(cases)]
    const { schema, hold } = wrapSchema(random, first, second, `http://fuzz.invalid/${at}`)
    const { dialect, format, content } = first
    const options = { dialect, remotes, format, content }
    result.schemas++
    result.last = at
    const tell = (problem) => {
      if (result.disagreements.length < MAX_TOLD) result.disagreements.push({ seed: at, name: first.name, dialect: first.dialect, schema, ...problem })
    }
    let agree
    try {
      agree = roadsOf(library, typebox, schema, options)
    } catch (error) {
      tell({ threw: String(error?.stack ?? error) })
      continue
    }
    for (let index = 0; index < VALUES_A_SCHEMA; index++) {
      const value = valueOf(random, { schema, hold, values: first.tests.map(({ data }) => data) })
      result.checks++
      try {
        const answers = agree(value)
        if (answers === undefined) continue
        tell({ value, answers })
      } catch (error) {
        tell({ value, threw: String(error?.stack ?? error) })
      }
      break
    }
  }
  return result
}

function valueOf(random, { schema, hold, values }) {
  const base = random.chance(0.5) && values.length > 0 ? hold(structuredClone(random.pick(values))) : random.chance(0.9) ? valueFor(random, schema) : anyValue(random)
  const once = random.chance(0.5) ? mutated(random, base) : base
  return random.chance(0.2) ? mutated(random, once) : once
}
