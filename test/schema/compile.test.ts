import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Type } from "@sinclair/typebox"
import { compile, FromSchema } from "../../src/schema.js"
import { installBuiltPackage } from "../fixtures/built_package.js"

const run = promisify(execFile)

describe("compile", () => {
  test("gives the same function for the same schema, for an equal one, and for its optional form", () => {
    const schema = FromSchema({ type: "object", properties: { compiledOnce: { type: "string" } } })
    const check = compile(schema)
    expect(compile(schema)).toBe(check)
    expect(compile(FromSchema({ type: "object", properties: { compiledOnce: { type: "string" } } }))).toBe(check)
    expect(compile(Type.Optional(schema))).toBe(check)
  })

  test("checks schemas that a person wrote in TypeBox", () => {
    const check = compile(Type.Object({ at: Type.Date(), n: Type.Optional(Type.Number()) }))
    expect(check({ at: new Date(0) })).toBe(true)
    expect(check({ at: "1970-01-01" })).toBe(false)
  })

  test("never throws: nothing fits what is no schema", () => {
    // What a host without the compiler's help may pass.
    for (const schema of [{ type: "string" }, {}, Type.Unsafe({ type: "string" })]) expect(compile(schema as never)("x")).toBe(false)
  })

  test("of anything accepts no undefined, which JSON does not have", () => {
    expect(compile(FromSchema({ minimum: 1 }))(undefined)).toBe(false)
    expect(compile(FromSchema({ type: "string" }))(undefined)).toBe(false)
  })
})

describe("under a policy that forbids to generate code", () => {
  let folder = ""
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "mcp-operations-csp-"))
    await installBuiltPackage(folder)
  }, 120_000)
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true })
  })

  test("every check works, on the interpreted road", async () => {
    const program = join(folder, "check.mjs")
    writeFileSync(
      program,
      `import { collectErrors, compile, FromSchema, validateOrThrow, Value } from "mcp-operations"
let evaluates = true
try { new Function("") } catch { evaluates = false }
const schemas = {
  native: [{ type: "object", properties: { a: { type: "string", maxLength: 2 } }, required: ["a"], additionalProperties: false }, { a: "ab" }, { a: "abc" }],
  exact: [{ type: "array", uniqueItems: true, contains: { const: { x: 1 } } }, [{ x: 1 }, 2], [2, 2]],
  recursive: [{ $ref: "#/$defs/n", $defs: { n: { type: "object", properties: { n: { $ref: "#/$defs/n" } }, additionalProperties: false } } }, { n: { n: {} } }, { n: { m: 1 } }],
}
const answers = {}
for (const [name, [schema, valid, invalid]] of Object.entries(schemas)) {
  const converted = FromSchema(schema)
  const check = compile(converted)
  let code
  try { validateOrThrow(converted, invalid, "it") } catch (error) { code = error.code }
  answers[name] = [check(valid), check(invalid), Value.Check(converted, valid), Value.Check(converted, invalid), collectErrors(converted, invalid)[0].path, code]
}
console.log(JSON.stringify({ evaluates, answers }))`,
    )
    const { stdout } = await run(process.execPath, ["--disallow-code-generation-from-strings", program], { cwd: folder })
    expect(JSON.parse(stdout)).toEqual({
      evaluates: false,
      answers: {
        native: [true, false, true, false, "/a", "VALIDATION_ERROR"],
        exact: [true, false, true, false, "", "VALIDATION_ERROR"],
        recursive: [true, false, true, false, "/n/m", "VALIDATION_ERROR"],
      },
    })
  }, 60_000)
})
