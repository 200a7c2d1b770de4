import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { beforeAll, describe, expect, test } from "vitest"
import { Kind, type TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { Ajv, type Options } from "ajv"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Ajv2020 } from "ajv/dist/2020.js"
import { collectErrors, compile, FromSchema, lossOf } from "../../src/schema.js"
import { sharedDir } from "../fixtures/shared.js"
import { randomSource } from "../fuzz/random.mjs"
import { anyValue, mutated, valueFor } from "../fuzz/schema_value.mjs"

const shared = sharedDir()
const VALUES_A_SCHEMA = 30
/** Every fourth schema is compared with Ajv, or all where CORPUS is "all" (`npm run corpus`). */
const EVERY = process.env["CORPUS"] === "all" ? 1 : 4

/** As the specification says: patterns with the u flag, formats as annotations; and no opinion on style. */
const READING: Options = { strict: false, validateFormats: false, unicodeRegExp: true, logger: false, addUsedSchema: false, validateSchema: false }

interface Tool {
  readonly name: string
  readonly inputSchema?: object
  readonly outputSchema?: object
}

/** The schemas of every recorded tool, each different one once. */
function corpusSchemas(folder: string): { name: string; schema: object }[] {
  const schemas = new Map<string, { name: string; schema: object }>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "calls.json")) {
    // What the corpus' README says of its files.
    const { tools } = JSON.parse(readFileSync(join(folder, file), "utf8")) as { tools: Tool[] }
    for (const tool of tools) {
      for (const member of ["inputSchema", "outputSchema"] as const) {
        const schema = tool[member]
        if (schema !== undefined) schemas.set(JSON.stringify(schema), { name: `${file} ${tool.name} ${member}`, schema })
      }
    }
  }
  return [...schemas.values()]
}

function judges(): (schema: object) => (value: unknown) => boolean {
  const [draft07, later, latest] = [new Ajv(READING), new Ajv2019(READING), new Ajv2020(READING)]
  return (schema) => {
    const named = "$schema" in schema ? String(schema.$schema) : ""
    const ajv = named.includes("draft-07") || named.includes("draft-06") ? draft07 : named.includes("2019-09") ? later : latest
    const check = ajv.compile(schema)
    return (value) => check(value)
  }
}

describe.skipIf(shared === undefined)("the tools of real servers (skipped without the shared test data)", () => {
  let schemas: { name: string; schema: object; converted: TSchema }[] = []
  beforeAll(() => {
    schemas = corpusSchemas(join(shared ?? "", "corpus")).map(({ name, schema }) => ({ name, schema, converted: FromSchema<unknown>(schema) }))
  })

  test("every schema is converted without a loss, at least 95 % of them to native kinds alone", () => {
    expect(schemas.length).toBe(2_374)
    expect(schemas.flatMap(({ name, converted }) => lossOf(converted).map((loss) => ({ name, loss })))).toEqual([])
    const native = schemas.filter(({ converted }) => !holdsExact(converted))
    expect(native.length / schemas.length).toBeGreaterThanOrEqual(0.95)
  })

  test("every schema agrees with Ajv on every road, and so does its JSON", () => {
    const judge = judges()
    const differences: unknown[] = []
    let [fitting, refused] = [0, 0]
    schemas.forEach(({ name, schema, converted }, index) => {
      if (index % EVERY !== 0) return
      const random = randomSource(index)
      const [ajv, ajvOfJSON] = [judge(schema), judge(JSON.parse(JSON.stringify(converted)) as object)]
      const again = FromSchema<unknown>(JSON.parse(JSON.stringify(converted)))
      const [compiled, own] = [TypeCompiler.Compile(converted), compile(converted)]
      for (let count = 0; count < VALUES_A_SCHEMA; count++) {
        const base = count % 10 === 9 ? anyValue(random) : valueFor(random, schema)
        const value = count % 3 === 0 ? base : mutated(random, count % 3 === 2 ? mutated(random, base) : base)
        const expected = ajv(value)
        if (expected) fitting++
        else refused++
        const answers = {
          check: Value.Check(converted, value),
          compiled: compiled.Check(value),
          errors: Value.Errors(converted, value).First() === undefined,
          own: own(value),
          exact: collectErrors(converted, value, { limit: 1 }).length === 0,
          again: Value.Check(again, value),
          ajvOfJSON: ajvOfJSON(value),
        }
        if (Object.values(answers).some((answer) => answer !== expected)) differences.push({ name, value, expected, answers })
      }
    })
    expect(differences).toEqual([])
    // Values of both kinds, or the comparison would say little.
    expect(Math.min(fitting, refused)).toBeGreaterThan(0.2 * (fitting + refused))
  }, 480_000)
})

function holdsExact(node: unknown): boolean {
  if (typeof node !== "object" || node === null) return false
  if (Reflect.get(node, Kind) === "mcp-operations:Exact") return true
  return Object.values(node).some(holdsExact)
}
