/**
 * What FromSchema and its checks cost on the tools of real servers.
 *
 *   node --expose-gc test/bench/schema.mjs [--dist dist] [--corpus ../shared/corpus]
 *
 * Conversion: median and 95th percentile over all schemas, first in a fresh process, then in rounds that the cache cannot answer.
 * Compiling: the same of the first call of a check. Checks: compiled checks of natively converted schemas against Ajv's compiled
 * validators on the same values, rounds interleaved; the median of the schemas' ratios, with the 95 % interval over the rounds. A run
 * whose rounds of Ajv differ by more than 1.5 x is void. Memory: the heap that 2,000 converted schemas hold, and what their checks add.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readdirSync, readFileSync } from "node:fs"
import path from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { Kind } from "@sinclair/typebox"
import { Ajv } from "ajv"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import { randomSource } from "../fuzz/random.mjs"
import { valueFor } from "../fuzz/schema_value.mjs"
import { interval, median } from "./statistics.mjs"

const root = fileURLToPath(new URL("../..", import.meta.url))
const { values: options } = parseArgs({
  options: {
    dist: { type: "string", default: path.join(root, "dist") },
    corpus: { type: "string", default: path.join(root, "../shared/corpus") },
    // What a process holds can only be told of one that has converted nothing before.
    memory: { type: "boolean", default: false },
  },
})
if (!existsSync(options.corpus)) {
  console.log(`the recorded tools are not at ${options.corpus}: nothing was measured`)
  process.exit(0)
}
const { FromSchema, compile } = await import(pathToFileURL(path.resolve(options.dist, "schema.js")).href)

const schemas = readdirSync(options.corpus)
  .filter((name) => name.endsWith(".json") && name !== "calls.json")
  .flatMap((name) => JSON.parse(readFileSync(path.join(options.corpus, name), "utf8")).tools)
  .flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])
  .filter((schema) => schema !== undefined)

/** As the specification says, without an opinion on style. */
const READING = { strict: false, validateFormats: false, logger: false, addUsedSchema: false, validateSchema: false }
const ROUNDS = 15
/** Schemas whose checks are compared: every so many of the corpus, since Ajv takes its time to compile. */
const COMPARED = 150
const VALUES_A_SCHEMA = 10

function timed(step) {
  const began = performance.now()
  step()
  return performance.now() - began
}

function percentile(values, share) {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

function told(values) {
  return `median ${median(values).toFixed(3)} ms, 95th percentile ${percentile(values, 0.95).toFixed(3)} ms`
}

if (options.memory) measureMemory()
else {
  measureTime()
  spawnSync(process.execPath, ["--expose-gc", fileURLToPath(import.meta.url), "--memory", "--dist", options.dist, "--corpus", options.corpus], { stdio: "inherit" })
}

function measureTime() {
  const first = schemas.map((schema) => timed(() => FromSchema(schema)))
  console.log(`conversion, ${schemas.length} schemas in a fresh process: ${told(first)}`)
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    // Another content each time: the cache knows none of them.
    const fresh = schemas.map((schema) => ({ ...schema, $comment: `round ${round}` }))
    return fresh.map((schema) => timed(() => FromSchema(schema)))
  })
  const medians = rounds.map(median)
  const [low, high] = interval(medians)
  console.log(`conversion, ${ROUNDS} rounds: median ${median(medians).toFixed(3)} ms [${low.toFixed(3)}, ${high.toFixed(3)}], 95th percentile ${median(rounds.map((round) => percentile(round, 0.95))).toFixed(3)} ms  ${low <= 0.15 ? "met" : "missed"} (at most 0.15 ms)`)
  console.log(`compiling, first check of each: ${told(schemas.map((schema) => timed(() => compile(FromSchema({ ...schema, $comment: "compiled" }))({}))))}`)

  compareChecks()
}

function compareChecks() {
  const validators = { 7: new Ajv(READING), 2019: new Ajv2019(READING), 2020: new Ajv2020(READING) }
  const pairs = []
  const step = Math.floor(schemas.length / COMPARED)
  for (let index = 0; index < schemas.length; index += step) {
    const schema = schemas[index]
    const converted = FromSchema(schema)
    if (holdsExact(converted)) continue
    const random = randomSource(index)
    const ajv = validators[/draft-0[67]/.test(schema.$schema) ? 7 : /2019/.test(schema.$schema) ? 2019 : 2020].compile(schema)
    const values = []
    // What is called in practice fits: half of the values do.
    for (let tries = 0; tries < 200 && values.length < VALUES_A_SCHEMA; tries++) {
      const value = valueFor(random, schema)
      if (values.length % 2 === 1 || ajv(value)) values.push(value)
    }
    pairs.push({ own: compile(converted), ajv, values })
  }
  for (const pair of pairs) pair.times = timesFor(pair)
  const measured = Array.from({ length: ROUNDS }, (_, round) => pairs.map((pair) => measure(pair, round % 2 === 0)))
  const ratiosOfRounds = measured.map((round) => median(round.map(({ own, ajv }) => own / ajv)))
  const ratiosOfSchemas = pairs.map((_, index) => median(measured.map((round) => round[index].own / round[index].ajv)))
  const totals = measured.map((round) => round.reduce((sum, { ajv }) => sum + ajv, 0))
  const isVoid = Math.max(...totals) / Math.min(...totals) > 1.5
  const [least, most] = interval(ratiosOfRounds)
  const verdict = isVoid ? "void: Ajv's rounds differ by more than 1.5 x" : least <= 1.2 ? "met" : "missed"
  console.log(`checks of ${pairs.length} native schemas against Ajv: ${median(ratiosOfRounds).toFixed(3)} [${least.toFixed(3)}, ${most.toFixed(3)}]  ${verdict} (at most 1.2)`)
  console.log(`  of the schemas: 10th percentile ${percentile(ratiosOfSchemas, 0.1).toFixed(2)}, 90th percentile ${percentile(ratiosOfSchemas, 0.9).toFixed(2)}`)
}

function timesFor({ own, ajv, values }) {
  const once = () => values.forEach((value) => own(value)) ?? values.forEach((value) => ajv(value))
  for (let warm = 0; warm < 2_000; warm++) once()
  return Math.max(20, Math.round(2 / (timed(() => { for (let index = 0; index < 50; index++) once() }) / 50)))
}

function measure({ own, ajv, values, times }, ownFirst) {
  const run = (check) =>
    timed(() => {
      for (let index = 0; index < times; index++) for (const value of values) check(value)
    })
  if (ownFirst) return { own: run(own), ajv: run(ajv) }
  const last = run(ajv)
  return { own: run(own), ajv: last }
}

function measureMemory() {
  if (globalThis.gc === undefined) {
    console.log("memory: run with --expose-gc")
    return
  }
  const some = Array.from({ length: 2_000 }, (_, index) => ({ ...schemas[index % schemas.length], $comment: `memory ${index}` }))
  const texts = some.map((schema) => JSON.stringify(schema))
  const heap = () => {
    globalThis.gc()
    return process.memoryUsage().heapUsed
  }
  const before = heap()
  const kept = texts.map((text) => FromSchema(JSON.parse(text)))
  const converted = heap()
  for (const schema of kept) compile(schema)({})
  const compiled = heap()
  const megabytes = (bytes) => (bytes / 1e6).toFixed(1)
  const source = texts.reduce((sum, text) => sum + text.length, 0)
  console.log(`memory of ${kept.length} converted schemas (${megabytes(source)} MB of JSON): ${megabytes(converted - before)} MB; their compiled checks: ${megabytes(compiled - converted)} MB more`)
}

function holdsExact(node) {
  if (typeof node !== "object" || node === null) return false
  return node[Kind] === "mcp-operations:Exact" || Object.values(node).some(holdsExact)
}
