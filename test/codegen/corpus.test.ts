/**
 * Modules for recorded servers: ten of them, or all where CORPUS is "all".
 */
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Type, type TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { generateModules } from "../../src/codegen.js"
import { builderText } from "../../src/codegen/builder_text.js"
import { toNamespace, specFromJSON, type OperationSpec } from "../../src/operation.js"
import { compile, FromSchema } from "../../src/schema.js"
import { installBuiltPackage } from "../fixtures/built_package.js"
import { sharedDir } from "../fixtures/shared.js"
import { randomSource } from "../fuzz/random.mjs"
import { mutated, valueFor } from "../fuzz/schema_value.mjs"
import { anyTypes, complaints } from "./typescript.js"

interface Tool {
  readonly name: string
  readonly description?: string
  readonly inputSchema?: object
  readonly outputSchema?: object
}

const shared = sharedDir()
const isWhole = process.env["CORPUS"] === "all"
const folder = realpathSync(mkdtempSync(join(tmpdir(), "codegen-corpus-")))
beforeAll(() => installBuiltPackage(folder), 180_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function servers(): { namespace: string; operations: OperationSpec[] }[] {
  const corpus = join(shared ?? "", "corpus")
  const files = readdirSync(corpus).filter((name) => name.endsWith(".json") && name !== "calls.json")
  return files
    .filter((_, index) => isWhole || index % Math.floor(files.length / 10) === 0)
    .map((file) => {
      const namespace = toNamespace(file.replace(/\.json$/, ""))
      // What the corpus' README says of its files.
      const { tools } = JSON.parse(readFileSync(join(corpus, file), "utf8")) as { tools: Tool[] }
      const first = new Map(tools.toReversed().map((tool) => [tool.name, tool]))
      return { namespace, operations: [...first.values()].map((tool) => operation(namespace, tool)) }
    })
}

function operation(namespace: string, { name, description = "", inputSchema = {}, outputSchema = {} }: Tool): OperationSpec {
  const input = Object.keys(inputSchema).length === 0 ? { type: "object" } : inputSchema
  return specFromJSON({ name, namespace, version: "1", type: "mutation", description, inputSchema: input, outputSchema })
}

describe.skipIf(shared === undefined)("recorded servers (skipped without the shared test data)", () => {
  const all = shared === undefined ? [] : servers()

  test("have modules that compile under strict settings, without any, twice the same", () => {
    const operations = all.flatMap((server) => server.operations)
    const began = process.cpuUsage()
    const modules = generateModules(operations)
    const { user, system } = process.cpuUsage(began)
    console.log(`${modules.length} modules for ${operations.length} operations, ${Math.round(modules.reduce((sum, { text }) => sum + text.length, 0) / 1_000)} kB, made in ${Math.round((user + system) / 1_000)} ms of processor time`)
    expect(generateModules(operations.toReversed())).toEqual(modules)
    expect(modules.flatMap(({ text }) => anyTypes(text))).toEqual([])
    expect(complaints(folder, modules)).toEqual([])
    expect(modules.length).toBe(all.length)
  }, 300_000)

  test("have builders that accept and refuse what the live schemas do", () => {
    const differences: unknown[] = []
    let [printed, total] = [0, 0]
    for (const [index, { inputSchema, outputSchema, name }] of all.flatMap((server) => server.operations).entries()) {
      for (const live of [inputSchema, outputSchema]) {
        total++
        const text = builderText(live)
        if (text === undefined) continue
        printed++
        // Made of our own text a moment ago: that is what is looked at here.
        // eslint-disable-next-line @typescript-eslint/no-implied-eval
        const made = new Function("Type", `return ${text}`)(Type) as TSchema
        const source: unknown = JSON.parse(JSON.stringify(live))
        const [own, again] = [compile(live), compile(FromSchema<unknown>(JSON.parse(JSON.stringify(made))))]
        const random = randomSource(index)
        for (let count = 0; count < 12; count++) {
          const base = valueFor(random, source)
          const value = count % 2 === 0 ? base : mutated(random, base)
          const answers = [own(value), Value.Check(made, value), again(value)]
          if (new Set(answers).size > 1) differences.push({ name, text, value, answers })
        }
      }
    }
    expect(differences).toEqual([])
    expect(printed / total).toBeGreaterThan(0.9)
  }, 300_000)
})
