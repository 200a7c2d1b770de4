/**
 * Every code block of the README, and every example in a doc comment, is compiled or run.
 *
 * - `ts`: compiled under a consumer's strictest settings against the built package; `ts run`: started as a program too
 * - `sh`: each npm script that it names exists; `sh run`: run by bash in an empty folder that has the package installed
 * - `console`: each `$ command` is run likewise, and the lines under it stand in its output, in order; a line `...` leaves out
 * - `json`, `jsonc`: parsed
 */
import { spawnSync } from "node:child_process"
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { delimiter, join } from "node:path"
import { parse, type ParseError } from "jsonc-parser"
import ts from "typescript"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { installBuiltPackage, root as repository } from "../fixtures/built_package.js"
import { codeBlocks, docExamples } from "./code_blocks.js"
import { consumerComplaints } from "./consumer_types.js"

const readme = join(repository, "README.md")
const blocks = existsSync(readme) ? codeBlocks(readFileSync(readme, "utf8"), "README.md") : []
const examples = docExamples(repository)
const manifest: { scripts: Record<string, string>; bin: Record<string, string>; exports: Record<string, unknown> } = JSON.parse(
  readFileSync(join(repository, "package.json"), "utf8"),
)

// The folder of a user who has installed the package: npx finds its command here.
const home = realpathSync(mkdtempSync(join(tmpdir(), "readme-")))
beforeAll(async () => {
  const folder = await installBuiltPackage(home)
  symlinkSync(join(repository, "node_modules/@modelcontextprotocol"), join(home, "node_modules/@modelcontextprotocol"), "junction")
  mkdirSync(join(home, "node_modules/.bin"))
  for (const [name, path] of Object.entries(manifest.bin)) {
    if (!existsSync(join(folder, path))) continue
    chmodSync(join(folder, path), 0o755)
    symlinkSync(join(folder, path), join(home, "node_modules/.bin", name))
  }
}, 180_000)
afterAll(() => rmSync(home, { recursive: true, force: true }))

function run(command: string, args: string[], cwd: string): { output: string; status: number | null } {
  const path = [join(home, "node_modules/.bin"), process.env["PATH"] ?? ""].join(delimiter)
  const done = spawnSync(command, args, { cwd, encoding: "utf8", env: { ...process.env, PATH: path, NO_COLOR: "1" }, timeout: 120_000 })
  return { output: `${done.stdout}${done.stderr}`, status: done.status }
}

const named = (language: string, word?: string): [string, string][] =>
  blocks
    .filter((block) => block.language === language && (word === undefined || block.words.includes(word)))
    .map((block) => [block.place, block.text])

describe.skipIf(!existsSync(readme))("the README", () => {
  test("has a TypeScript block and a shell block", () => {
    expect(new Set(blocks.map((block) => block.language))).toEqual(new Set([...blocks.map((block) => block.language), "ts", "sh"]))
  })

  test("has no block in a language that this test cannot check", () => {
    expect(blocks.filter((block) => !["ts", "sh", "console", "json", "jsonc"].includes(block.language)).map((block) => block.place)).toEqual([])
  })

  test.each(named("ts", "run"))("%s runs as a program", (_place, text) => {
    const program = join(home, "program.mjs")
    const options = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true }
    writeFileSync(program, ts.transpileModule(text, { compilerOptions: options }).outputText)
    const done = run(process.execPath, [program], home)
    expect(done, done.output).toMatchObject({ status: 0 })
  }, 180_000)

  test.each(named("sh"))("%s names npm scripts that exist", (_place, text) => {
    const scripts = [...text.matchAll(/\bnpm (?:run ([\w:-]+)|(test|start))/g)].map((match) => match[1] ?? match[2] ?? "")
    expect(scripts.filter((script) => !(script in manifest.scripts))).toEqual([])
  })

  test.each(named("sh", "run"))("%s runs without an error", (_place, text) => {
    const done = run("bash", ["-euo", "pipefail", "-c", text], home)
    expect(done, done.output).toMatchObject({ status: 0 })
  }, 180_000)

  test.each(named("console"))("%s shows what the command answers", (_place, text) => {
    const steps = text.split(/^\$ /m).slice(1)
    expect(steps.length).toBeGreaterThan(0)
    for (const step of steps) {
      const [command = "", ...shown] = step.trimEnd().split("\n")
      const output = run("bash", ["-c", command], home).output.split("\n").map((line) => line.trimEnd())
      let from = 0
      for (const line of shown.map((one) => one.trimEnd()).filter((one) => one !== "" && one !== "...")) {
        const at = output.indexOf(line, from)
        expect(at, `"${line}" is not in the output of "${command}":\n${output.join("\n")}`).toBeGreaterThanOrEqual(0)
        from = at + 1
      }
    }
  }, 180_000)

  test.each([...named("json"), ...named("jsonc")])("%s parses", (_place, text) => {
    const errors: ParseError[] = []
    parse(text, errors, { allowTrailingComma: true })
    expect(errors).toEqual([])
  })
})

test("every TypeScript block and example compiles under a consumer's strictest settings, and so do the package's declarations", () => {
  const doors = Object.keys(manifest.exports)
    .filter((path) => path !== "./package.json")
    .map((path) => ({ place: `the door ${path}`, text: `export type Door = typeof import("mcp-operations${path.slice(1)}")\n` }))
  const modules = [...doors, ...blocks.filter((block) => block.language === "ts"), ...examples]
  expect(consumerComplaints(home, modules)).toEqual([])
}, 180_000)

test("a wrong block is refused: the check reads types, optional members and indexes", () => {
  const modules = [
    { place: "unknown name", text: `import { noSuchName } from "mcp-operations"\nexport { noSuchName }\n` },
    { place: "wrong type", text: `import { localEnvelope } from "mcp-operations"\nlocalEnvelope(1, 2)\n` },
    { place: "unchecked index", text: `const list: string[] = []\nexport const first: string = list[0]\n` },
  ]
  const places = consumerComplaints(home, modules).map((line) => line.replace(/\+.*$/s, ""))
  expect(places).toEqual(["unknown name", "wrong type", "unchecked index"])
}, 180_000)
