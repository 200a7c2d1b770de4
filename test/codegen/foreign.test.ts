/**
 * Schemas for zod and valibot: what is printed accepts and refuses like the original, and what is not printed is counted by its limit.
 */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import * as valibot from "valibot"
import { describe, expect, test } from "vitest"
import { z } from "zod"
import { generateSchemas, operationsFromTypes } from "../../src/codegen.js"
import { forPackage, Unprintable } from "../../src/codegen/foreign_schema.js"
import { trialValues } from "../../src/drift/trial_values.js"
import { specFromJSON } from "../../src/operation.js"
import { compile, FromSchema } from "../../src/schema.js"
import { sharedDir } from "../fixtures/shared.js"
import { javaScript } from "./typescript.js"

type Check = (value: unknown) => boolean

/** The schemas that a printed module exports, as checks. */
function checksOf(text: string): Record<string, Check> {
  const body = javaScript(text).replaceAll(/^import .*$/gm, "").replaceAll(/^export \{.*$/gm, "")
  const names = [...text.matchAll(/^export const (\w+)/gm)].map(([, name]) => name ?? "")
  // eslint-disable-next-line @typescript-eslint/no-implied-eval -- our own text, which is what is looked at here
  const made = new Function("z", "v", `${body.replaceAll(/^export const /gm, "const ")}\nreturn { ${names.join(", ")} }`)(z, valibot) as Record<string, object> // Made of our own text.
  const check = (schema: object): Check => ("safeParse" in schema ? (value) => (schema as z.ZodType).safeParse(value).success : (value) => valibot.is(schema as valibot.GenericSchema, value))
  return Object.fromEntries(Object.entries(made).map(([name, schema]) => [name, check(schema)]))
}

const operation = (name: string, inputSchema: unknown, namespace = "s") => specFromJSON({ name, namespace, version: "1", type: "mutation", description: "", inputSchema, outputSchema: {} })

const shared = sharedDir()
/** Printing takes its time: of what can be printed every so many are printed and compared, but all are counted. */
const EVERY = 30

describe.skipIf(shared === undefined)("tools of recorded servers (skipped without the shared test data)", () => {
  function schemas(): object[] {
    const corpus = join(shared ?? "", "corpus")
    const all = readdirSync(corpus)
      .filter((name) => name.endsWith(".json") && name !== "calls.json")
      .flatMap((file) => {
        // What the corpus' README says of its files.
        const { tools } = JSON.parse(readFileSync(join(corpus, file), "utf8")) as { tools: { inputSchema?: object }[] }
        return tools.flatMap(({ inputSchema }) => (inputSchema === undefined || Object.keys(inputSchema).length === 0 ? [] : [inputSchema]))
      })
    return all
  }

  test.each([["zod"], ["valibot"]] as const)("%s", async (target) => {
    const all = schemas()
    const limits = new Map<string, number>()
    for (const schema of all) {
      const prepared = forPackage(FromSchema<unknown>(schema), target)
      if (prepared instanceof Unprintable) limits.set(prepared.limit, (limits.get(prepared.limit) ?? 0) + 1)
    }
    const printed = all.length - [...limits.values()].reduce((sum, count) => sum + count, 0)
    console.log(`${target}: ${printed} of ${all.length} printed (${Math.round((100 * printed) / all.length)} %); not: ${JSON.stringify(Object.fromEntries([...limits].sort(([, one], [, other]) => other - one)))}`)
    const some = all.filter((schema, index) => index % EVERY === 0 && !(forPackage(FromSchema<unknown>(schema), target) instanceof Unprintable))
    const { files, unprinted } = await generateSchemas(some.map((schema, index) => operation(`t${index}`, schema)), target)
    expect(unprinted).toEqual([])
    const checks = checksOf(files[0]?.text ?? "")
    const differences: unknown[] = []
    let compared = 0
    some.forEach((schema, index) => {
      const [own, theirs] = [compile(FromSchema<unknown>(schema)), checks[`T${index}Input`]]
      for (const value of trialValues(schema)) {
        compared++
        if (own(value) !== theirs?.(value)) differences.push({ schema, value, own: own(value) })
      }
    })
    expect(differences).toEqual([])
    expect(some.length).toBeGreaterThan(20)
    expect(compared).toBeGreaterThan(500)
  }, 240_000)
})

describe("what is not printed is named", () => {
  test.each<[string, unknown]>([
    ["patterns, and lengths of more than one", { type: "object", properties: { a: { type: "string", pattern: "^a" } }, required: ["a"] }],
    ["exclusive bounds", { type: "object", properties: { a: { type: "number", exclusiveMinimum: 0 } }, required: ["a"] }],
    ["quotes in literals", { type: "object", properties: { a: { const: "'); evil('" } }, required: ["a"] }],
    ["odd names of members", { type: "object", properties: { "a'b": {} } }],
    ["typed further members", { type: "object", properties: { a: {} }, additionalProperties: { type: "string" } }],
    ["recursive schemas", { type: "object", properties: { self: { $ref: "#" } } }],
    ["schemas that no kind of TypeBox says", { type: "array", uniqueItems: true }],
    ["not", { not: { type: "string" } }],
  ])("%s", async (limit, schema) => {
    const { files, unprinted } = await generateSchemas([operation("t", schema), operation("fine", { type: "object", properties: { a: { type: "string" } } })], "zod")
    expect(unprinted).toEqual([{ operationId: "s.t", side: "input", limit }])
    expect(Object.keys(checksOf(files[0]?.text ?? ""))).toEqual(["FineInput"])
  })
})

describe("types of a file become operations to be written", () => {
  const source = `/** Who is asked for. */
export interface GetUserInput { id: string; tags?: string[] }
export interface GetUserOutput { name: string; friends: GetUserOutput[] }
export interface Other { a: 1 }
export type PingInput = Record<string, never>
`

  test("with their schemas, and a handler that says that it is not written", async () => {
    const text = await operationsFromTypes(source, { namespace: "users" })
    expect(text.match(/defineOperation\(\{\n {2}namespace: "users",\n {2}name: "(\w+)"/g)).toHaveLength(2)
    expect(text).toContain("inputSchema: GetUserInput,\n  outputSchema: GetUserOutput,")
    expect(text).toContain("inputSchema: PingInput,\n  outputSchema: Type.Unknown(),")
  })

  test.each([
    ["types that need each other", "export interface AInput { b: B }\nexport interface B { a: AInput }\n", "B before that is made"],
    ["a file without operations", "export interface User { id: string }\n", "SomethingInput"],
  ])("%s are refused with what to do", async (_, text, part) => {
    await expect(operationsFromTypes(text)).rejects.toMatchObject({ code: "CONFIGURATION_ERROR", message: expect.stringContaining(part) as string })
  })
})

