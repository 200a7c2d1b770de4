/**
 * Beside `Value.Cast` alone, on random schemas and values: the same data wherever Cast does not throw, keeps the root and fits.
 * `node test/fuzz/conform.mjs --pairs 100000` runs the same on the built library.
 */
import { expect, test } from "vitest"
import { conform } from "../../src/schema.js"
import { checkPair } from "../fuzz/check_pair.mjs"
import { randomSource } from "../fuzz/random.mjs"
import { randomSchema } from "../fuzz/random_schema.mjs"
import { randomValue, valueNear } from "../fuzz/random_value.mjs"

const SCHEMAS = 300
const VALUES_A_SCHEMA = 10

test(`gives what Value.Cast gives on ${SCHEMAS * VALUES_A_SCHEMA} random pairs`, { timeout: 120_000 }, () => {
  const counts = new Map<string, number>()
  for (let seed = 1; seed <= SCHEMAS; seed++) {
    const random = randomSource(seed)
    const { schema, definitions } = randomSchema(random)
    for (let index = 0; index < VALUES_A_SCHEMA; index++) {
      const value = random.chance(0.15) ? randomValue(random) : valueNear(random, schema, { definitions })
      const { kind, broken } = checkPair(conform, schema, value)
      expect(broken, `seed ${seed}, value ${index}`).toBeUndefined()
      counts.set(kind, (counts.get(kind) ?? 0) + 1)
    }
  }
  // The pairs are spread over all roads, so that a walk which gives up everywhere would be seen.
  expect(counts.get("same as cast")).toBeGreaterThan(SCHEMAS)
  expect(counts.get("exact")).toBeGreaterThan(SCHEMAS)
  expect(counts.get("root replaced")).toBeGreaterThan(100)
})
