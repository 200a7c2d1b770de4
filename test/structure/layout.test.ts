/**
 * Names, headers and folders of the source tree, as a reader meets them.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, test } from "vitest"

const repository = fileURLToPath(new URL("../../", import.meta.url))

function filesOf(folder: string): string[] {
  return readdirSync(join(repository, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => relative(repository, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
    .sort()
}

const source = filesOf("src")
const tests = filesOf("test").filter((file) => /\.[cm]?ts$/.test(file))

/** The text of the doc block that a file begins with, or nothing. */
function headerOf(file: string): string | undefined {
  const text = readFileSync(join(repository, file), "utf8").replace(/^#!.*\n/, "")
  return /^\/\*\*([\s\S]*?)\*\//.exec(text)?.[1]
}

describe("source files", () => {
  test("are TypeScript and nothing else", () => {
    expect(source.filter((file) => !file.endsWith(".ts"))).toEqual([])
    expect(source).toContain("src/index.ts")
  })

  test("have snake_case names, tests and fixtures too", () => {
    const name = /^[a-z0-9]+(_[a-z0-9]+)*(\.test|\.test-d|\.d|\.config)?\.[cm]?ts$/
    expect([...source, ...tests].filter((file) => !name.test(file.split("/").at(-1) ?? ""))).toEqual([])
  })

  test("are not named after nothing: no utils, helpers, common or manager", () => {
    const parts = [...source, ...tests].filter((file) => /(^|[/_])(utils?|helpers?|common|manager|misc|shared_code)(_|\.|\/)/.test(file))
    expect(parts).toEqual([])
  })

  test("begin with a doc block that says what they are for, in at most eight lines", () => {
    const lines = (file: string): number => headerOf(file)?.split("\n").filter((line) => /\w/.test(line)).length ?? 0
    const bare = source.filter((file) => lines(file) < 1 || lines(file) > 8)
    expect(bare).toEqual([])
  })

  test("stand behind a door: each folder of src has the file of its name beside it", () => {
    const rooms = new Set(source.filter((file) => file.split("/").length > 2).map((file) => file.split("/")[1]))
    expect([...rooms].filter((room) => !source.includes(`src/${String(room)}.ts`))).toEqual([])
  })
})

describe("tests", () => {
  test("of a room stand in the folder of its name, so that they are found", () => {
    const folders = ["contract", "fixtures", "regression", "structure", "e2e", "bench", "fuzz", "faults", "soak"]
    const doors = source.filter((file) => file.split("/").length === 2).map((file) => file.slice("src/".length, -".ts".length))
    const stray = tests.filter((file) => {
      const [, first = ""] = file.split("/")
      return ![...folders, ...doors].includes(first.replace(/(\.test|\.test-d)?\.ts$/, ""))
    })
    expect(stray).toEqual([])
  })
})

describe("the repository", () => {
  test.each(["README.md", "CHANGELOG.md", "LICENSE", "docs/architecture/README.md", ".ci/run"])("has its %s", (file) => {
    expect(existsSync(join(repository, file))).toBe(true)
  })
})
