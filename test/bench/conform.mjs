/**
 * What `conform` costs, beside a bare compiled check and beside `Value.Cast`.
 *
 *   node test/bench/conform.mjs [--dist dist]
 *
 * Rows of a usual result at 10 kB, 100 kB and 5 MB. Right values: `conform` against a compiled check of the same schema. One
 * wrong leaf in the middle: `conform` with its whole report against `Value.Cast` alone. Rounds are interleaved; printed is the
 * median of the per-round ratios with its 95 % interval. A run whose rounds of the reference differ by more than 1.5 x is void.
 */
import path from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { interval, median } from "./statistics.mjs"

const { values: options } = parseArgs({ options: { dist: { type: "string", default: "dist" } } })
const { conform, FromSchema } = await import(pathToFileURL(path.resolve(options.dist, "schema.js")).href)

const ROUNDS = 21
/** One measured stretch, long enough for the clock and for a collection of garbage to be spread over all. */
const STRETCH_MS = 25

const schema = FromSchema({
  type: "object",
  required: ["total", "rows"],
  properties: {
    total: { type: "integer" },
    rows: {
      type: "array",
      items: {
        type: "object",
        required: ["id", "name", "price", "tags", "owner"],
        properties: {
          id: { type: "integer" },
          name: { type: "string" },
          price: { type: "number", minimum: 0 },
          tags: { type: "array", items: { type: "string" } },
          owner: { type: "object", required: ["login", "admin"], properties: { login: { type: "string" }, admin: { type: "boolean" } } },
          state: { enum: ["open", "closed"] },
          note: { anyOf: [{ type: "string" }, { type: "null" }] },
        },
      },
    },
  },
})

const row = (index) => ({
  id: index,
  name: `name ${index}`,
  price: index * 1.5,
  tags: ["a", "b", "c"],
  owner: { login: `user${index}`, admin: false },
  state: "open",
  note: index % 3 === 0 ? null : "some words",
})
const value = (rows) => ({ total: rows, rows: Array.from({ length: rows }, (_, index) => row(index)) })
const withWrongLeaf = (right) => {
  const wrong = structuredClone(right)
  wrong.rows[wrong.rows.length >> 1].price = "12.50"
  return wrong
}

function stretch(run, times) {
  const start = performance.now()
  for (let index = 0; index < times; index++) run()
  return (performance.now() - start) / times
}

/** How often `run` fits into a stretch, found after it is warm. */
function timesFor(run) {
  for (let index = 0; index < 3; index++) run()
  return Math.max(1, Math.round(STRETCH_MS / stretch(run, 2)))
}

function compare(label, target, subject, reference) {
  const [subjectTimes, referenceTimes] = [timesFor(subject), timesFor(reference)]
  stretch(subject, subjectTimes)
  stretch(reference, referenceTimes)
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    // Each goes first in every other round.
    if (round % 2 === 0) return { subject: stretch(subject, subjectTimes), reference: stretch(reference, referenceTimes) }
    const last = stretch(reference, referenceTimes)
    return { subject: stretch(subject, subjectTimes), reference: last }
  })
  const ratios = rounds.map((round) => round.subject / round.reference)
  const references = rounds.map((round) => round.reference)
  const [low, high] = interval(ratios)
  const isVoid = Math.max(...references) / Math.min(...references) > 1.5
  const times = `${median(rounds.map((round) => round.subject)).toFixed(4)} ms against ${median(references).toFixed(4)} ms`
  const verdict = isVoid ? "void: the reference's rounds differ by more than 1.5 x" : low <= target ? "met" : "missed"
  console.log(`  ${label.padEnd(16)} ${median(ratios).toFixed(3)} [${low.toFixed(3)}, ${high.toFixed(3)}]  ${times}  ${verdict}`)
}

const sizes = [70, 620, 31_000].map((rows) => {
  const right = value(rows)
  return { label: `${Math.round(JSON.stringify(right).length / 1000)} kB`, right, wrong: withWrongLeaf(right) }
})
const compiled = TypeCompiler.Compile(schema)

console.log("right values: conform / compiled check, at most 2")
for (const { label, right } of sizes) compare(label, 2, () => conform(schema, right), () => compiled.Check(right))

console.log("one wrong leaf: conform with its report / Value.Cast alone, at most 1")
for (const { label, wrong } of sizes) compare(label, 1, () => conform(schema, wrong), () => Value.Cast(schema, wrong))
