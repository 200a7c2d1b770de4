/**
 * The law of the change report, on random schemas and values under every policy: undoing the changes on `data` gives back what
 * was sent, and there are none if and only if `data` is what was sent. The judge is `undo_changes.mjs`, which knows nothing of
 * how changes are found.
 */
import { isDeepStrictEqual } from "node:util"
import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { describe, expect, test } from "vitest"
import { collectErrors, conform, type ConformPolicy } from "../../src/schema.js"
import { randomSource } from "../fuzz/random.mjs"
import { randomSchema } from "../fuzz/random_schema.mjs"
import { KEYS, randomValue, valueNear } from "../fuzz/random_value.mjs"
import { undoChanges } from "../fuzz/undo_changes.mjs"

/** Names that an object has without having been sent them. */
const HOSTILE = [...KEYS.slice(0, 6), "__proto__", "constructor", "toString", "hasOwnProperty"]

describe.each(["cast", "repair", "raw"] satisfies ConformPolicy[])("under %s", (policy) => {
  test("changes undo, and say whether data differs", { timeout: 120_000 }, () => {
    let changed = 0
    for (let seed = 10_001; seed <= 10_200; seed++) {
      const random = randomSource(seed)
      const { schema, definitions } = randomSchema(random)
      for (let index = 0; index < 8; index++) {
        const keys = random.chance(0.3) ? HOSTILE : KEYS
        const sent = random.chance(0.3) ? randomValue(random, 4, keys) : valueNear(random, schema, { definitions, keys })
        const before = structuredClone(sent)
        const { data, changes, conformance } = conform(schema, sent, policy)
        const where = `seed ${seed}, value ${index}`
        expect(isDeepStrictEqual(sent, before), where).toBe(true)
        expect(isDeepStrictEqual(undoChanges(data, changes), sent), where).toBe(true)
        expect(isDeepStrictEqual(data, sent), where).toBe(changes.length === 0)
        expect(data === sent, where).toBe(conformance !== "cast")
        if (policy === "repair") expect(changes.every((change) => change.kind === "added" && change.origin === "default"), where).toBe(true)
        changed += changes.length
      }
    }
    expect(changed > 0).toBe(policy !== "raw")
  })
})

test("issues are those of collectErrors, whatever is not looked into", { timeout: 120_000 }, () => {
  const sorted = (issues: readonly object[]): string[] => issues.map((issue) => JSON.stringify(issue)).sort()
  for (let seed = 20_001; seed <= 20_200; seed++) {
    const random = randomSource(seed)
    const { schema, definitions } = randomSchema(random)
    for (let index = 0; index < 5; index++) {
      const sent = random.chance(0.3) ? randomValue(random, 4) : valueNear(random, schema, { definitions })
      const { issues, conformance } = conform(schema, sent, "raw")
      // TypeBox finds errors in some values that its own check accepts.
      if (conformance === "exact") continue
      expect(sorted(issues), `seed ${seed}, value ${index}`).toStrictEqual(sorted(collectErrors(schema, sent, { limit: Infinity })))
    }
  }
})

test("the judge itself refuses a report that leaves something out", () => {
  const schema = Type.Object({ a: Type.Number(), list: Type.Array(Type.Number(), { maxItems: 1 }) })
  const sent = { a: "x", list: [1, 2], b: true }
  const { data, changes } = conform(schema, sent)
  expect(Value.Check(schema, data)).toBe(true)
  expect(changes).toHaveLength(3)
  expect(undoChanges(data, changes)).toStrictEqual(sent)
  for (const left of changes) expect(undoChanges(data, changes.filter((change) => change !== left))).not.toStrictEqual(sent)
})
