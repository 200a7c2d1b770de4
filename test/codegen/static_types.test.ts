/**
 * The generated static types agree with the schemas that they come from, as far as types can say it.
 *
 * For each of 300 recorded schemas the compiler is asked about values: what the schema accepts, the type accepts; what it refuses for a type, a
 * missing member or a value that is not listed, the type refuses. Bounds, patterns and closed objects are beyond types, and
 * values that miss by these alone are left out.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, test } from "vitest"
import { TypeWriter } from "../../src/codegen/type_writer.js"
import { trialValues } from "../../src/drift/trial_values.js"
import { collectErrors, compile, FromSchema } from "../../src/schema.js"
import { sharedDir } from "../fixtures/shared.js"
import { complaints } from "./typescript.js"

const shared = sharedDir()
const folder = mkdtempSync(join(tmpdir(), "codegen-types-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const SCHEMAS = 300
const VALUES_A_SCHEMA = 24
const SAYABLE = new Set(["type", "required", "enum", "const"])
/** What a type that stands for these keywords leaves open. */
const WIDE = /"(?:not|if|dependentRequired|dependentSchemas|contains|propertyNames|unevaluatedProperties|patternProperties|oneOf|allOf)":/

function schemas(): object[] {
  const corpus = join(shared ?? "", "corpus")
  const all = readdirSync(corpus)
    .filter((name) => name.endsWith(".json") && name !== "calls.json")
    .flatMap((file) => {
      // What the corpus' README says of its files.
      const { tools } = JSON.parse(readFileSync(join(corpus, file), "utf8")) as { tools: { inputSchema?: object; outputSchema?: object }[] }
      return tools.flatMap(({ inputSchema, outputSchema }) => [inputSchema, outputSchema])
    })
    .filter((schema): schema is object => schema !== undefined && Object.keys(schema).length > 1)
  const step = Math.floor(all.length / SCHEMAS)
  return all.filter((_, index) => index % step === 0).slice(0, SCHEMAS)
}

/** The type that only this value has. */
function typeOfValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(typeOfValue).join(", ")}]`
  if (typeof value !== "object" || value === null) return JSON.stringify(value)
  return `{ ${Object.entries(value).map(([key, member]) => `${JSON.stringify(key)}: ${typeOfValue(member)}`).join("; ")} }`
}

/** The compiler refuses an object that shares no member with a type whose members are all optional, whatever else the type allows. */
function isForeign(value: unknown): boolean {
  return typeof value === "object" && value !== null && Object.keys(value).join() === "another"
}

/** Whether the type has to accept the value; undefined where types have no word for what is wrong. */
function verdict(schema: object, value: unknown): boolean | undefined {
  const converted = FromSchema<unknown>(schema)
  if (compile(converted)(value)) return true
  if (WIDE.test(JSON.stringify(schema))) return undefined
  const issues = collectErrors(converted, value)
  const isSayable = issues.every(({ keyword, path }) => SAYABLE.has(keyword) && typeof at(value, path) !== "number")
  return isSayable ? false : undefined
}

function at(value: unknown, pointer: string): unknown {
  return pointer.split("/").slice(1).reduce((place: unknown, token) => (typeof place === "object" && place !== null ? Reflect.get(place, token.replaceAll("~1", "/").replaceAll("~0", "~")) : undefined), value)
}

describe.skipIf(shared === undefined)("static types (skipped without the shared test data)", () => {
  test("accept and refuse what their schemas do", () => {
    let [accepted, refused] = [0, 0]
    const modules = schemas().map((schema, index) => {
      const types = new TypeWriter(schema, "Root", new Set()).write().map(({ name, text }) => `type ${name} = ${text}`)
      const lines: string[] = []
      for (const value of trialValues(schema)) {
        if (lines.length >= VALUES_A_SCHEMA) break
        const expected = isForeign(value) ? undefined : verdict(schema, value)
        if (expected === undefined) continue
        if (expected) accepted++
        else refused++
        lines.push(`export const v${lines.length}: ${typeOfValue(value)} extends Root ? true : false = ${String(expected)}`)
      }
      return { name: `schema_${index}.ts`, text: `${types.join("\n")}\n${lines.join("\n")}\n` }
    })
    expect(modules).toHaveLength(SCHEMAS)
    expect(complaints(folder, modules)).toEqual([])
    console.log(`${accepted} values that types accept, ${refused} that they refuse`)
    expect(Math.min(accepted, refused)).toBeGreaterThan(1_000)
  }, 300_000)

  test("would be told from wrong ones", () => {
    const text = `type Root = { a: string }\nexport const v0: { "a": 1 } extends Root ? true : false = true\n`
    expect(complaints(folder, [{ name: "wrong.ts", text }])).toHaveLength(1)
  })
})
