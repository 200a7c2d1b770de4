/**
 * Compares `conform` with `Value.Cast` alone on random schemas and values.
 *
 *   node test/fuzz/conform.mjs [--pairs 100000] [--seed 1] [--dist dist]
 *
 * Needs the built library. Prints how many pairs took which road; a broken pair is printed and the exit status is 1.
 */
import path from "node:path"
import { parseArgs } from "node:util"
import { pathToFileURL } from "node:url"
import { checkPair } from "./check_pair.mjs"
import { randomSource } from "./random.mjs"
import { randomSchema } from "./random_schema.mjs"
import { randomValue, valueNear } from "./random_value.mjs"

const { values: options } = parseArgs({
  options: { pairs: { type: "string", default: "100000" }, seed: { type: "string", default: "1" }, dist: { type: "string", default: "dist" } },
})
const { conform } = await import(pathToFileURL(path.resolve(options.dist, "schema.js")).href)

const VALUES_A_SCHEMA = 10
const pairs = Number(options.pairs)
const seed = Number(options.seed)
const kinds = new Map()
let broken = 0
for (let done = 0, at = seed; done < pairs; at++) {
  const random = randomSource(at)
  const { schema, definitions } = randomSchema(random)
  for (let index = 0; index < VALUES_A_SCHEMA && done < pairs; index++, done++) {
    const value = random.chance(0.15) ? randomValue(random) : valueNear(random, schema, { definitions })
    let verdict
    try {
      verdict = checkPair(conform, schema, value)
    } catch (error) {
      verdict = { kind: "broken", broken: `threw ${error?.stack}` }
    }
    kinds.set(verdict.kind, (kinds.get(verdict.kind) ?? 0) + 1)
    if (verdict.kind !== "broken") continue
    broken++
    if (broken <= 5) console.log(JSON.stringify({ seed: at, index, why: verdict.broken, schema, value, result: verdict.result, oracle: verdict.oracle }))
  }
}
console.log([...kinds].map(([kind, count]) => `${count} ${kind}`).join(", "))
console.log(`${pairs - broken} passed, ${broken} failed`)
process.exitCode = broken === 0 ? 0 : 1
